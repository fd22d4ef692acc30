import { OnWorkerEvent, Processor } from '@nestjs/bullmq';
import { CONSUMER_TIMES, FEEDER_QUEUE } from '#queue';
import { RepeatedFaults } from '../operations/repeated-faults.js';
import { Feeder } from './feeder.js';
import { QueueProcessor } from './queue-processor.js';

/** A gateway has accepted orders into a backlog: one worker feeds the carriers' queues now, not at its next look. */
@Processor({ name: FEEDER_QUEUE, configKey: FEEDER_QUEUE }, CONSUMER_TIMES)
export class FeederProcessor extends QueueProcessor {
  constructor(
    private readonly feeder: Feeder,
    faults: RepeatedFaults,
  ) {
    super(faults);
  }

  async process(): Promise<void> {}

  /** When the job is gone: the queue takes no other one before, so what is accepted until then relies on this one. */
  @OnWorkerEvent('completed')
  onCompleted(): void {
    this.feeder.wake();
  }
}
