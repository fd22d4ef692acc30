import { Processor } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { Database, NOT_ROUTED, putInBacklog } from '#persistence';
import { CONSUMER_TIMES, type DispatchJob } from '#queue';
import { RepeatedFaults } from '../operations/repeated-faults.js';
import { Feeder } from './feeder.js';
import { QueueProcessor } from './queue-processor.js';

/** The one queue of releases up to 0.2, whose orders have no carrier yet. */
export const PREVIOUS_DISPATCH_QUEUE = 'dispatch';

/** Takes the jobs of gateways of release 0.2, which know no carriers' queues. Goes with release 0.4. */
@Processor({ name: PREVIOUS_DISPATCH_QUEUE, configKey: PREVIOUS_DISPATCH_QUEUE }, CONSUMER_TIMES)
export class PreviousQueueProcessor extends QueueProcessor {
  constructor(
    private readonly database: Database,
    private readonly feeder: Feeder,
    faults: RepeatedFaults,
  ) {
    super(faults);
  }

  async process({ data }: Job<DispatchJob>): Promise<void> {
    await putInBacklog(this.database, data.ids, NOT_ROUTED, 'interactive');
    this.feeder.wake();
  }
}
