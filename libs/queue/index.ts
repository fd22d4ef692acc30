export { connectRedis } from './connect-redis.js';
export type { DispatchJob, JobLane, QueueDepth } from './dispatch-queues.js';
export {
  carrierQueueName,
  DISPATCH_JOB_IDS_MAX,
  DispatchQueues,
  FEEDER_QUEUE,
  laneOf,
} from './dispatch-queues.js';
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
