import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import type { Feeder } from './feeder.js';

/** A gateway has accepted orders into a backlog: one worker feeds the carriers' queues at once instead of at its next look. */
export class FeederProcessor extends WorkerHost {
  constructor(
    private readonly feeder: Feeder,
    private readonly onQueueError: (error: unknown) => void,
  ) {
    super();
  }

  async process(): Promise<void> {
    this.feeder.wake();
  }

  /** An outage of the queue; BullMQ reconnects. */
  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.onQueueError(error);
  }
}
