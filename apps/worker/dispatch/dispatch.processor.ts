import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { Job } from 'bullmq';
import { DISPATCH_QUEUE, type DispatchJob } from '#queue';
import { DispatchJobOrders, WorkerStopping } from './dispatch-job-orders.js';
import { DispatchSettings } from './dispatch-settings.js';

/** BullMQ job in, orders out. It starts to run when the carriers are known. */
@Processor(DISPATCH_QUEUE, { autorun: false, maxStalledCount: 20 })
export class DispatchProcessor extends WorkerHost implements OnApplicationBootstrap {
  constructor(
    private readonly orders: DispatchJobOrders,
    private readonly settings: DispatchSettings,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.settings.concurrency;
    // An outage of the queue: BullMQ reconnects, and the sweeper offers what got lost.
    this.worker.on('error', (error) => this.settings.onQueueError(error));
    this.worker.on('failed', (_job, error) => {
      if (!(error instanceof WorkerStopping)) this.settings.onJobError(error);
    });
    void this.worker.run().catch((error: unknown) => this.settings.onQueueError(error));
  }

  async process(job: Job<DispatchJob>): Promise<void> {
    await this.orders.dispatch(job.data.ids);
  }

  /** Stops taking jobs and waits for those under way. */
  async stop(): Promise<void> {
    this.orders.stop();
    await this.worker.close();
  }
}
