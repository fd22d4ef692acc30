import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { type Database, NOT_ROUTED, putInBacklog } from '#persistence';
import type { Feeder } from './feeder.js';

/** Jobs of gateways of release 0.2, which know no carriers' queues. Goes with release 0.4. */
export class PreviousQueueProcessor extends WorkerHost {
  constructor(
    private readonly database: Database,
    private readonly feeder: Feeder,
    private readonly onQueueError: (error: unknown) => void,
  ) {
    super();
  }

  async process({ data }: Job<{ readonly ids: readonly string[] }>): Promise<void> {
    await putInBacklog(this.database, data.ids, NOT_ROUTED, 'single');
    this.feeder.wake();
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.onQueueError(error);
  }
}
