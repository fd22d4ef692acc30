import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { Config } from '#config';
import { DISPATCH_QUEUE, type DispatchJob } from './dispatch-job.js';
import { BullDispatchQueue, DispatchQueue } from './dispatch-queue.js';
import { type QueueRole, queueOptions } from './queue-back-end.js';

/** Where the application keeps BullMQ's own queue, for boards that show it. */
export const BULL_QUEUE = getQueueToken(DISPATCH_QUEUE);

/** Gives an application the dispatch queue: to announce orders (gateway), and to work on them (worker). */
@Module({})
export class DispatchQueueModule {
  static with(config: Config, role: QueueRole): DynamicModule {
    return {
      module: DispatchQueueModule,
      global: true,
      imports: [
        BullModule.forRoot(queueOptions(config, role)),
        // A worker takes its connection from the queue that it works on, so the queue has that of the role.
        BullModule.registerQueue({ name: DISPATCH_QUEUE, ...queueOptions(config, role) }),
      ],
      providers: [
        {
          provide: DispatchQueue,
          inject: [BULL_QUEUE],
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
