import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { Config } from '#config';
import { FEEDER_QUEUE } from './dispatch-job.js';
import { DispatchQueues } from './dispatch-queues.js';
import { queueOptions } from './queue-back-end.js';

/** Gives an application the dispatch queues to put orders on. Consumers have connections of their own, with other bounds. */
@Module({})
export class DispatchQueuesModule {
  static with(config: Config): DynamicModule {
    return {
      module: DispatchQueuesModule,
      global: true,
      imports: [
        BullModule.forRoot(queueOptions(config, 'producer', FEEDER_QUEUE)),
        BullModule.registerQueue({ name: FEEDER_QUEUE }),
      ],
      providers: [
        {
          provide: DispatchQueues,
          inject: [getQueueToken(FEEDER_QUEUE)],
          useFactory: (feeder: Queue) => new DispatchQueues(config, feeder),
        },
      ],
      exports: [DispatchQueues, BullModule],
    };
  }
}
