import { setTimeout as delay } from 'node:timers/promises';
import { OnWorkerEvent } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { DelayedError, type Job } from 'bullmq';
import { Database, reschedule, SANDBOX_CARRIER_ID } from '#persistence';
import { type DispatchJob, type JobPriority, priorityOf } from '#queue';
import { MessageTraces } from '#telemetry';
import { CarrierPool } from '../carriers/carrier-pool.js';
import type { CarrierSlots, PooledCarrier } from '../carriers/pooled-carrier.js';
import { RepeatedFaults } from '../operations/repeated-faults.js';
import { WorkerMetrics } from '../operations/worker-metrics.js';
import { DispatchJournal } from './dispatch-journal.js';
import { dispatchOrder, type OnOutcome } from './dispatch-order.js';
import { Feeder } from './feeder.js';
import { OwnedOrders } from './owned-orders.js';
import { QueueProcessor } from './queue-processor.js';
import { idsPerJobOf } from './queue-room.js';
import type { SlotRequests } from './slot-requests.js';
import { traceClaims, traceSubmit } from './trace-dispatch.js';

const SLOTS_WAIT_MS = 1_000;
/** How long a job stays away from a carrier that throttles and gives no slot. */
const THROTTLED_DELAY_MS = 1_000;
const TEST_SLOT_RETRY_MS = 50;
/** A bulk job keeps its place for so long while interactive jobs wait for one. */
const BULK_PLACE_MS = 500;

/** What the processors of one worker share. */
@Injectable()
export class DispatchParts {
  constructor(
    readonly database: Database,
    readonly pool: CarrierPool,
    readonly journal: DispatchJournal,
    readonly owned: OwnedOrders,
    readonly feeder: Feeder,
    readonly faults: RepeatedFaults,
    readonly metrics: WorkerMetrics,
    readonly traces: MessageTraces,
  ) {}
}

/**
 * The one place that starts a send: takes window slots of its carrier, claims as many orders as it has slots, and
 * submits them. So a segment is recorded as submitting just before it is written, and no claimed order waits for a full
 * window. Orders that cannot be sent now become due at once: the reconciler puts them back into the backlog.
 */
export class DispatchProcessor extends QueueProcessor {
  constructor(
    private readonly carrier: PooledCarrier,
    private readonly slots: SlotRequests,
    private readonly parts: DispatchParts,
  ) {
    super(parts.faults);
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
    this.parts.feeder.emptied(this.carrier);
  }

  private async dispatch(job: Job<DispatchJob>, token: string | undefined): Promise<void> {
    const claims: Promise<void>[] = [];
    const startMs = performance.now();
    const turn = this.slots.nextTurn();
    let left = job.data.ids;
    while (left.length > 0 && !this.slots.isClosed && !this.hasToYield(job, left.length, startMs)) {
      const taken = await this.takeSlots(job, turn, left.length);
      if (taken !== undefined) {
        const claim = this.send(left.slice(0, taken.slots.length), priorityOf(job), taken);
        // Its fault is thrown below. Until then the job may wait for more slots.
        claim.catch(() => undefined);
        claims.push(claim);
        left = left.slice(taken.slots.length);
        continue;
      }
      if (this.isToBeLeft(job)) break;
      if (claims.length === 0 && this.carrier.readiness === 'throttled') await this.delayJob(job, token);
    }
    const outcomes = await Promise.allSettled([reschedule(this.parts.database, left), ...claims]);
    this.carrier.jobPace.note(1);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  private async takeSlots(job: Job<DispatchJob>, turn: number, orders: number): Promise<CarrierSlots | undefined> {
    if (job.data.isTest !== true) return this.slots.take(turn, orders, priorityOf(job), SLOTS_WAIT_MS);
    const taken = this.carrier.takeSlots(1, true);
    if (taken === undefined) await delay(TEST_SLOT_RETRY_MS);
    return taken;
  }

  /** Whether the orders go back to the backlog: the carrier has taken nothing for some seconds, or is closed. */
  private isToBeLeft(job: Job<DispatchJob>): boolean {
    return job.data.isTest === true ? this.carrier.state !== 'bound' : this.carrier.isToBeLeft;
  }

  /**
   * Whether a bulk job gives its place to interactive ones. A carrier that has become slow would otherwise keep all
   * places taken by jobs that were cut for a fast one. A job with no more orders than one that is cut now ends soon.
   */
  private hasToYield(job: Job<DispatchJob>, left: number, startMs: number): boolean {
    if (priorityOf(job) !== 'bulk' || performance.now() - startMs < BULK_PLACE_MS) return false;
    return this.carrier.hasInteractiveWaiting && left > idsPerJobOf(this.carrier);
  }

  /** Gives the job's place to another one, which may be of a higher priority. */
  private async delayJob(job: Job<DispatchJob>, token: string | undefined): Promise<never> {
    await job.moveToDelayed(Date.now() + THROTTLED_DELAY_MS, token);
    throw new DelayedError();
  }

  /** Resolves when the orders are claimed; what the carrier answers is recorded when it comes. */
  private async send(ids: readonly string[], lane: JobPriority, { format, slots }: CarrierSlots): Promise<void> {
    const { carrier } = this;
    const { journal, owned, pool, feeder, faults, metrics, traces } = this.parts;
    const { name } = carrier.stored;
    const isOfTestKey = carrier.id === SANDBOX_CARRIER_ID;
    const unused = [...slots];
    try {
      const startMs = Date.now();
      const orders = await journal.claim(ids, carrier.id, format);
      traceClaims(traces, orders, name, startMs);
      // An order that was not claimed has left the queue as well.
      const unclaimed = ids.length - orders.length;
      const segmentsGone = orders.reduce((sum, { segments }) => sum + segments, unclaimed);
      feeder.roomMade(carrier, segmentsGone);
      for (const order of orders) {
        const slot = unused.pop();
        if (slot === undefined) throw new Error('more orders than slots were claimed');
        if (order.waitedSeconds !== null && !isOfTestKey) metrics.dispatched(lane, order.waitedSeconds);
        const onOutcome: OnOutcome = (outcome, position, submittedMs) => {
          const segments = order.whole ? order.segments : 1;
          if (outcome.kind === 'accepted') pool.countTaken(carrier, order.destination, segments);
          if (submittedMs !== undefined) traceSubmit(traces, order, name, position, submittedMs, outcome);
        };
        const work = dispatchOrder(order, slot, carrier.id, journal, onOutcome);
        owned.during(order.id, work, isOfTestKey).catch((fault: unknown) => faults.notDispatched(fault));
      }
    } finally {
      // Orders that another worker has, or that are over, need no slot.
      for (const slot of unused) slot.release();
    }
  }
}
