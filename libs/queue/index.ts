export { connectRedis } from './connect-redis.js';
export type { DispatchJob, JobLane, QueueDepth } from './dispatch-queues.js';
export { DISPATCH_JOB_IDS_MAX, DispatchQueues, laneOf } from './dispatch-queues.js';
export { endConnections } from './end-connections.js';
export { pauseFetching } from './pause-fetching.js';
export { DispatchQueuesModule } from './queue.module.js';
export type { QueueBackEnd } from './queue-back-end.js';
export {
  CONSUMER_TIMES,
  consumerOptions,
  migrateQueue,
  queueBackEnd,
  queueOptions,
  useQueueBackEnd,
} from './queue-back-end.js';
export { carrierQueueName, FEEDER_QUEUE } from './queue-names.js';
