import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '#config';
import { Database, segmentsOfReceipts } from '#persistence';
import { consumerOptions, DispatchQueuesModule, FEEDER_QUEUE } from '#queue';
import { type Logger, MessageTraces, ReceiptTraces } from '#telemetry';
import { type BindLeaseSettings, BindLeases } from './carriers/bind-leases.js';
import { CarrierConnections } from './carriers/carrier-connections.js';
import { CarrierPool } from './carriers/carrier-pool.js';
import { FollowCarriers } from './carriers/follow-carriers.js';
import { CarrierConsumers } from './dispatch/carrier-consumers.js';
import { CarrierTests } from './dispatch/carrier-tests.js';
import { DispatchOrders } from './dispatch/dispatch-orders.js';
import { DispatchWrites } from './dispatch/dispatch-writes.js';
import { Feeder } from './dispatch/feeder.js';
import { FeederProcessor } from './dispatch/feeder.processor.js';
import { LongMessages } from './dispatch/long-messages.js';
import { OwnedOrders } from './dispatch/owned-orders.js';
import { PREVIOUS_DISPATCH_QUEUE, PreviousQueueProcessor } from './dispatch/previous-queue.processor.js';
import { FollowChanges } from './follow-changes.js';
import { BOUNDS, CONFIG, LOG, WORKER_ID } from './injected.js';
import { MetricsListener } from './operations/metrics-listener.js';
import { RepeatedFaults } from './operations/repeated-faults.js';
import { ReportAlive } from './operations/report-alive.js';
import { WorkerMetrics } from './operations/worker-metrics.js';
import { FoldTraffic } from './recovery/fold-traffic.js';
import { Reconciler } from './recovery/reconciler.js';
import { type RedactionBounds, RedactWanted } from './recovery/redact-wanted.js';
import { Retention, type RetentionBounds } from './recovery/retention.js';
import { RollUpUsage } from './recovery/roll-up-usage.js';
import { VerifyLedger } from './recovery/verify-ledger.js';
import { WorkerLife } from './worker-life.js';

/** What tests shorten. */
export interface WorkerBounds {
  readonly bindLease?: BindLeaseSettings;
  readonly retention?: RetentionBounds;
  readonly redaction?: RedactionBounds;
}

/** What the module gets from outside: it is there before the worker, and outlives it. */
export interface WorkerDependencies {
  readonly config: Config;
  readonly log: Logger;
  readonly database: Database;
  readonly traces: MessageTraces;
  readonly workerId: string;
  readonly bounds: WorkerBounds;
}

/**
 * The worker. The processors of the carriers' queues are not in the list, because carriers come and go:
 * `CarrierConsumers` starts one for each carrier.
 */
@Module({
  providers: [
    WorkerLife,
    WorkerMetrics,
    MetricsListener,
    RepeatedFaults,
    ReportAlive,
    FollowChanges,
    CarrierPool,
    CarrierConnections,
    FollowCarriers,
    BindLeases,
    CarrierConsumers,
    DispatchOrders,
    LongMessages,
    CarrierTests,
    DispatchWrites,
    OwnedOrders,
    Feeder,
    FeederProcessor,
    PreviousQueueProcessor,
    Reconciler,
    Retention,
    RedactWanted,
    RollUpUsage,
    FoldTraffic,
    VerifyLedger,
  ],
})
export class WorkerModule {
  static with({ config, log, database, traces, workerId, bounds }: WorkerDependencies): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        DispatchQueuesModule.with(config),
        ...[FEEDER_QUEUE, PREVIOUS_DISPATCH_QUEUE].map((queueName) =>
          BullModule.forRoot(queueName, {
            ...consumerOptions(config, queueName),
            // `WorkerLife` starts the processors.
            extraOptions: { manualRegistration: true },
          }),
        ),
        BullModule.registerQueue(),
      ],
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: LOG, useValue: log },
        { provide: Database, useValue: database },
        { provide: MessageTraces, useValue: traces },
        {
          provide: ReceiptTraces,
          useValue: new ReceiptTraces(traces, (...of) => segmentsOfReceipts(database, ...of), log),
        },
        { provide: WORKER_ID, useValue: workerId },
        { provide: BOUNDS, useValue: bounds },
      ],
    };
  }
}
