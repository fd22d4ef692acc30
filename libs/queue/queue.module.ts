import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '#config';
import { DispatchQueues } from './dispatch-queues.js';

/** Gives an application the queues to put orders on. Consumers have connections of their own, with other bounds. */
@Module({})
export class DispatchQueuesModule {
  static with(config: Config): DynamicModule {
    return {
      module: DispatchQueuesModule,
      global: true,
      providers: [{ provide: DispatchQueues, useFactory: () => new DispatchQueues(config) }],
      exports: [DispatchQueues],
    };
  }
}
