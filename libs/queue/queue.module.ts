import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { Queue } from 'bullmq';
import type { Config } from '#config';
import { DISPATCH_QUEUE, type DispatchJob, TURNS_QUEUE, type TurnJob } from './dispatch-job.js';
import { BullDispatchQueue, DispatchQueue } from './dispatch-queue.js';
import { queueOptions } from './queue-back-end.js';

/** Where a producing application keeps BullMQ's own queue, for boards that show it. */
export const BULL_QUEUE = getQueueToken(DISPATCH_QUEUE);

/**
 * Gives an application the dispatch queues, to announce orders on. Who works on them as well has a `QueueConsumer`, whose
 * connections have other bounds.
 */
@Module({})
export class DispatchQueueModule {
  static with(config: Config): DynamicModule {
    const options = queueOptions(config, 'producer', DISPATCH_QUEUE);
    return {
      module: DispatchQueueModule,
      global: true,
      imports: [BullModule.forRoot(options), BullModule.registerQueue({ name: DISPATCH_QUEUE })],
      providers: [
        {
          provide: DispatchQueue,
          inject: [BULL_QUEUE],
          useFactory: (queue: Queue<DispatchJob>) =>
            new BullDispatchQueue(
              quiet(queue),
              quiet(new Queue<TurnJob>(TURNS_QUEUE, queueOptions(config, 'producer', TURNS_QUEUE))),
              (name) => quiet(new Queue<DispatchJob>(name, queueOptions(config, 'producer', name))),
            ),
        },
      ],
      exports: [DispatchQueue, BullModule],
    };
  }
}

/** Without a listener Node would end the process; outages are seen in failed announcements and in health. */
function quiet<Data>(queue: Queue<Data>): Queue<Data> {
  queue.on('error', () => undefined);
  return queue;
}
