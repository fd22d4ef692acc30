import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '#config';
import { DispatchQueueModule } from '#queue';
import { DispatchProcessor } from './dispatch/dispatch.processor.js';
import { DispatchJobOrders } from './dispatch/dispatch-job-orders.js';
import { DispatchSettings } from './dispatch/dispatch-settings.js';

/** Composition root of what BullMQ drives; everything else is wired in `start-worker.ts`. */
@Module({})
export class WorkerModule {
  static with(config: Config, orders: DispatchJobOrders, settings: DispatchSettings): DynamicModule {
    return {
      module: WorkerModule,
      imports: [DispatchQueueModule.with(config, 'consumer')],
      providers: [
        { provide: DispatchJobOrders, useValue: orders },
        { provide: DispatchSettings, useValue: settings },
        DispatchProcessor,
      ],
    };
  }
}
