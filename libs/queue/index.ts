export { connectRedis } from './connect-redis.js';
export type { DispatchJob, OrderGroup, TurnJob } from './dispatch-job.js';
export {
  carrierQueueName,
  DISPATCH_JOB_IDS_MAX,
  DISPATCH_JOB_OPTIONS,
  DISPATCH_QUEUE,
  dispatchJobs,
  TURNS_QUEUE,
} from './dispatch-job.js';
export type { QueueDepth } from './dispatch-queue.js';
export { BullDispatchQueue, DispatchQueue, QueueUnavailable } from './dispatch-queue.js';
export { BULL_QUEUE, DispatchQueueModule } from './queue.module.js';
export type { QueueBackEnd, QueueRole } from './queue-back-end.js';
export { migrateQueue, queueBackEnd, queueOptions, useQueueBackEnd } from './queue-back-end.js';
export { QueueConsumer, type QueueConsumerSettings } from './queue-consumer.js';
