import { OnWorkerEvent } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import type { SubmitSlot } from '#carrier';
import { type Database, NOT_ROUTED, putInBacklog } from '#persistence';
import { type DispatchJob, type JobLane, laneOf } from '#queue';
import type { PooledCarrier } from '../carriers/pooled-carrier.js';
import type { RepeatedFaults } from '../operations/repeated-faults.js';
import type { DispatchOrders } from './dispatch-orders.js';
import type { Feeder } from './feeder.js';
import { QueueProcessor } from './queue-processor.js';
import { idsPerJobOf } from './queue-room.js';

const SLOTS_WAIT_MS = 1_000;
/** A bulk job keeps its place for so long while interactive jobs wait for one. */
const BULK_PLACE_MS = 500;
/** While both kinds wait, so many slots go to interactive requests for each one that goes to bulk requests. */
const INTERACTIVE_PER_BULK = 3;

/**
 * Takes window slots of its carrier, and dispatches as many orders of a job as it has slots. So a segment is recorded
 * as submitting just before it is written, and no claimed order waits for a full window. Orders that cannot be sent now
 * go back into the backlogs of their accounts.
 */
export class DispatchProcessor extends QueueProcessor {
  readonly slots = new SlotRequests((max) => this.carrier.takeSlots(max));

  constructor(
    private readonly carrier: PooledCarrier,
    private readonly orders: DispatchOrders,
    private readonly database: Database,
    private readonly feeder: Feeder,
    faults: RepeatedFaults,
  ) {
    super(faults);
  }

  /**
   * Resolves when every order of the job is claimed and handed to the carrier, or is in the backlog again. It does not
   * wait for the carrier's answers, so they hold up no other job.
   *
   * @throws the first fault; the orders that it does not concern have been worked on all the same
   */
  async process(job: Job<DispatchJob>): Promise<void> {
    const { carrier, slots } = this;
    const lane = laneOf(job);
    const claims: Promise<unknown>[] = [];
    const startMs = performance.now();
    let left = job.data.ids;
    carrier.jobs += 1;
    try {
      while (left.length > 0 && !slots.isClosed) {
        if (lane === 'bulk' && this.hasToYield(left.length, startMs)) break;
        const taken = await slots.take(left.length, lane, startMs, SLOTS_WAIT_MS);
        if (taken.length > 0) {
          const claim = Promise.all(
            taken.map((slot, index) => this.orders.dispatch(left[index] ?? '', lane, carrier, slot)),
          );
          // Its fault is thrown below. Until then the job may wait for more slots.
          claim.catch(() => undefined);
          claims.push(claim);
          left = left.slice(taken.length);
        } else if (carrier.isToBeLeft) {
          break;
        }
      }
      const outcomes = await Promise.allSettled([putInBacklog(this.database, left, NOT_ROUTED, lane), ...claims]);
      carrier.jobPace.note(1);
      if (left.length > 0) this.feeder.wake();
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } finally {
      carrier.jobs -= 1;
    }
  }

  @OnWorkerEvent('failed')
  onFailed(_job: Job | undefined, error: Error): void {
    this.faults.notDispatched(error);
  }

  @OnWorkerEvent('drained')
  onDrained(): void {
    this.feeder.drained(this.carrier);
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

interface SlotRequest {
  readonly max: number;
  readonly lane: JobLane;
  readonly jobSinceMs: number;
  readonly answer: (slots: readonly SubmitSlot[]) => void;
}

/**
 * The requests of this worker's jobs for window slots of one carrier. Interactive requests are served before bulk ones,
 * but while both kinds wait, bulk requests get a quarter of the slots. Interactive requests are served in the order in
 * which they come, so a job of many messages does not delay one of a single message. Bulk requests are served in the
 * order of their jobs, so that one job after the other ends and gives its place on the queue to the next one.
 */
export class SlotRequests {
  /** No request gets a slot any more. */
  isClosed = false;
  private readonly waiting = new Set<SlotRequest>();
  /** Slots that interactive requests got beyond their share while bulk requests waited; negative: the other way. */
  private ahead = 0;
  private isServingSoon = false;

  /** @param source free slots of the carrier, at once */
  constructor(private readonly source: (max: number) => readonly SubmitSlot[]) {}

  /**
   * Slots for up to `max` orders; none when none were free within the time, or the consumer ends.
   *
   * @param jobSinceMs when the job of these orders began
   */
  take(max: number, lane: JobLane, jobSinceMs: number, waitMaxMs: number): Promise<readonly SubmitSlot[]> {
    if (this.isClosed) return Promise.resolve([]);
    return new Promise((resolve) => {
      const answer = (slots: readonly SubmitSlot[]) => {
        clearTimeout(timer);
        this.waiting.delete(request);
        resolve(slots);
      };
      const timer = setTimeout(() => answer([]), waitMaxMs);
      const request: SlotRequest = { max, lane, jobSinceMs, answer };
      this.waiting.add(request);
      this.serve();
    });
  }

  /** Serves the requests that wait, once whatever else becomes free in this moment is free as well. */
  mayBeFree(): void {
    if (this.isServingSoon) return;
    this.isServingSoon = true;
    queueMicrotask(() => {
      this.isServingSoon = false;
      this.serve();
    });
  }

  /** Answers every request with nothing, and serves none any more. */
  close(): void {
    this.isClosed = true;
    for (const { answer } of this.waiting) answer([]);
  }

  private serve(): void {
    for (;;) {
      let interactive: SlotRequest | undefined;
      let bulk: SlotRequest | undefined;
      for (const request of this.waiting) {
        if (request.lane === 'interactive') interactive ??= request;
        else if (bulk === undefined || request.jobSinceMs < bulk.jobSinceMs) bulk = request;
      }
      const next = this.ahead >= INTERACTIVE_PER_BULK ? (bulk ?? interactive) : (interactive ?? bulk);
      if (next === undefined) return;
      const taken = this.source(next.max);
      if (taken.length === 0) return;
      // Only while both kinds wait does a kind use up a share.
      if (interactive === undefined || bulk === undefined) this.ahead = 0;
      else this.ahead += next === interactive ? taken.length : -taken.length * INTERACTIVE_PER_BULK;
      next.answer(taken);
    }
  }
}
