import { OnWorkerEvent } from '@nestjs/bullmq';
import { DelayedError, type Job } from 'bullmq';
import { type Database, reschedule } from '#persistence';
import { type DispatchJob, priorityOf } from '#queue';
import type { PooledCarrier } from '../carriers/pooled-carrier.js';
import type { RepeatedFaults } from '../operations/repeated-faults.js';
import type { DispatchOrders } from './dispatch-orders.js';
import type { Feeder } from './feeder.js';
import { QueueProcessor } from './queue-processor.js';
import { idsPerJobOf } from './queue-room.js';
import type { SlotRequests } from './slot-requests.js';

const SLOTS_WAIT_MS = 1_000;
/** How long a job stays away from a carrier that throttles and gives no slot. */
const THROTTLED_DELAY_MS = 1_000;
/** A bulk job keeps its place for so long while interactive jobs wait for one. */
const BULK_PLACE_MS = 500;

/**
 * Takes window slots of its carrier, and dispatches as many orders of a job as it has slots. So a segment is recorded
 * as submitting just before it is written, and no claimed order waits for a full window. Orders that cannot be sent now
 * become due at once: the reconciler puts them back into the backlog.
 */
export class DispatchProcessor extends QueueProcessor {
  constructor(
    private readonly carrier: PooledCarrier,
    private readonly slots: SlotRequests,
    private readonly orders: DispatchOrders,
    private readonly database: Database,
    private readonly feeder: Feeder,
    faults: RepeatedFaults,
  ) {
    super(faults);
  }

  /**
   * Resolves when every order of the job is claimed and handed to the carrier, or is due again. It does not wait for
   * the carrier's answers, so they hold up no other job.
   *
   * @throws the first fault; the orders that it does not concern have been worked on all the same
   */
  async process(job: Job<DispatchJob>, token?: string): Promise<void> {
    this.carrier.jobs += 1;
    try {
      await this.dispatch(job, token);
    } finally {
      this.carrier.jobs -= 1;
    }
  }

  @OnWorkerEvent('failed')
  onFailed(_job: Job | undefined, error: Error): void {
    this.faults.notDispatched(error);
  }

  @OnWorkerEvent('drained')
  onDrained(): void {
    this.feeder.emptied(this.carrier);
  }

  private async dispatch(job: Job<DispatchJob>, token: string | undefined): Promise<void> {
    const { carrier, slots } = this;
    const priority = priorityOf(job);
    const claims: Promise<unknown>[] = [];
    const startMs = performance.now();
    const turn = slots.nextTurn();
    let left = job.data.ids;
    while (left.length > 0 && !slots.isClosed) {
      if (priority === 'bulk' && this.hasToYield(left.length, startMs)) break;
      const taken = await slots.take(turn, left.length, priority, SLOTS_WAIT_MS);
      if (taken.length > 0) {
        const claim = Promise.all(
          taken.map((slot, index) => this.orders.dispatch(left[index] ?? '', priority, carrier, slot)),
        );
        // Its fault is thrown below. Until then the job may wait for more slots.
        claim.catch(() => undefined);
        claims.push(claim);
        left = left.slice(taken.length);
      } else if (carrier.isToBeLeft) {
        break;
      } else if (claims.length === 0 && carrier.readiness === 'throttled') {
        // Gives the job's place to another one, which may be of a higher priority.
        await job.moveToDelayed(Date.now() + THROTTLED_DELAY_MS, token);
        throw new DelayedError();
      }
    }
    const outcomes = await Promise.allSettled([reschedule(this.database, left), ...claims]);
    carrier.jobPace.note(1);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /**
   * Whether a bulk job gives its place to interactive ones. A carrier that has become slow would otherwise keep all
   * places taken by jobs that were cut for a fast one. A job with no more orders than one that is cut now ends soon.
   */
  private hasToYield(left: number, startMs: number): boolean {
    if (performance.now() - startMs < BULK_PLACE_MS) return false;
    return this.carrier.hasInteractiveWaiting && left > idsPerJobOf(this.carrier);
  }
}
