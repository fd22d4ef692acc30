import { NestFactory } from '@nestjs/core';
import { Worker } from 'bullmq';
import { type Config, loadConfig } from '#config';
import {
  carrierQueueName,
  consumerOptions,
  type DispatchJob,
  DispatchQueues,
  DispatchQueuesModule,
  type QueueBackEnd,
  useQueueBackEnd,
} from '#queue';
import { clearTestRedis, testRedisUrl } from './redis.js';

/** The back ends that this run has. BullMQ's is chosen for the whole process: a spec uses them one after the other. */
export const QUEUE_BACK_ENDS: readonly QueueBackEnd[] =
  testRedisUrl() === undefined ? ['postgres'] : ['postgres', 'redis'];

/** For specs that do not depend on where the jobs are: Redis takes less processor time for them, where there is one. */
export const CHEAPEST_BACK_END: QueueBackEnd = testRedisUrl() === undefined ? 'postgres' : 'redis';

/** The settings that choose a back end, the Redis emptied. */
export async function backEndSettings(backEnd: QueueBackEnd): Promise<Record<string, string>> {
  const redisUrl = testRedisUrl();
  if (backEnd === 'postgres' || redisUrl === undefined) return {};
  await clearTestRedis();
  return { REDIS_URL: redisUrl };
}

export interface TestQueue {
  readonly queues: DispatchQueues;
  close(): Promise<void>;
}

/** The producing side, wired as the processes wire it. */
export async function openQueue(settings: Record<string, string>): Promise<TestQueue> {
  const config = loadConfig(settings);
  useQueueBackEnd(config);
  const app = await NestFactory.createApplicationContext(DispatchQueuesModule.with(config), {
    logger: false,
    abortOnError: false,
  });
  return { queues: app.get(DispatchQueues), close: () => app.close() };
}

export interface TestConsumer {
  /** The orders of each job, as they came. */
  readonly jobs: (readonly string[])[];
  readonly ids: string[];
  close(): Promise<void>;
}

/** Jobs that it works on at once. */
export const CONSUMER_PLACES = 8;

/** The consuming side of a carrier's queue; a job ends when `work` does. */
export function consume(
  carrier: string,
  settings: Record<string, string>,
  work: (job: DispatchJob) => Promise<void> = async () => undefined,
): TestConsumer {
  const config: Config = loadConfig(settings);
  const jobs: (readonly string[])[] = [];
  const queueName = carrierQueueName(carrier);
  const worker = new Worker<DispatchJob>(
    queueName,
    async (job) => {
      jobs.push(job.data.ids);
      await work(job.data);
    },
    { ...consumerOptions(config, queueName), concurrency: CONSUMER_PLACES },
  );
  worker.on('error', () => undefined);
  return {
    jobs,
    get ids() {
      return jobs.flat();
    },
    close: () => worker.close(),
  };
}
