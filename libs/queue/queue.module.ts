import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { Queue } from 'bullmq';
import type { Config } from '#config';
import { DISPATCH_QUEUE, type DispatchJob } from './dispatch-job.js';
import { BullDispatchQueue, DispatchQueue } from './dispatch-queue.js';
import { type QueueRole, queueOptions } from './queue-back-end.js';

/** Where a producing application keeps BullMQ's own queue, for boards that show it. */
export const BULL_QUEUE = getQueueToken(DISPATCH_QUEUE);

const ANNOUNCING_QUEUE = Symbol('the queue that orders are announced on');

/** Gives an application the dispatch queue: to announce orders (gateway), and to work on them as well (worker). */
@Module({})
export class DispatchQueueModule {
  static with(config: Config, role: QueueRole): DynamicModule {
    return {
      module: DispatchQueueModule,
      global: true,
      imports: [BullModule.forRoot(queueOptions(config, role)), registered(config, role)],
      providers: [
        announcing(config, role),
        {
          provide: DispatchQueue,
          inject: [ANNOUNCING_QUEUE],
          useFactory: (queue: Queue<DispatchJob>) => {
            // Without a listener Node would end the process; outages are seen in failed announcements and in health.
            queue.on('error', () => undefined);
            return new BullDispatchQueue(queue);
          },
        },
      ],
      exports: [DispatchQueue, BullModule],
    };
  }
}

/**
 * A consumer registers no queue: @nestjs/bullmq would give the queue's connection to the processor too, and a producer's
 * bound on every command ends the blocking reads by which a worker hears of jobs. Without one, it takes `forRoot`'s.
 */
function registered(config: Config, role: QueueRole): DynamicModule {
  if (role === 'consumer') return BullModule.registerQueue();
  return BullModule.registerQueue({ name: DISPATCH_QUEUE, ...queueOptions(config, 'producer') });
}

/** Announcing has a producer's bounds in every process. */
function announcing(config: Config, role: QueueRole): Provider {
  if (role === 'producer') return { provide: ANNOUNCING_QUEUE, useExisting: BULL_QUEUE };
  return {
    provide: ANNOUNCING_QUEUE,
    useFactory: () => new Queue<DispatchJob>(DISPATCH_QUEUE, queueOptions(config, 'producer')),
  };
}
