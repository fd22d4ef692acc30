export { connectRedis } from './connect-redis.js';
export type { DispatchJob, JobPriority } from './dispatch-job.js';
export {
  carrierQueueName,
  DISPATCH_JOB_IDS_MAX,
  FEEDER_QUEUE,
  PREVIOUS_DISPATCH_QUEUE,
  priorityOf,
} from './dispatch-job.js';
export type { QueueDepth } from './dispatch-queues.js';
export { DispatchQueues, QueueUnavailable } from './dispatch-queues.js';
export { endConnections } from './end-connections.js';
export { DispatchQueuesModule } from './queue.module.js';
export type { QueueBackEnd, QueueRole } from './queue-back-end.js';
export { consumerOptions, migrateQueue, queueBackEnd, queueOptions, useQueueBackEnd } from './queue-back-end.js';
