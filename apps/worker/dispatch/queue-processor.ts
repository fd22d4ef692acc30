import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import { pauseFetching } from '#queue';
import type { RepeatedFaults } from '../operations/repeated-faults.js';

/** What every consumer of a queue has: it survives an outage of the queue, says so, and does not hurry. */
export abstract class QueueProcessor extends WorkerHost {
  constructor(protected readonly faults: RepeatedFaults) {
    super();
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.faults.queueUnreachable(error);
    pauseFetching(this.worker, error);
  }
}
