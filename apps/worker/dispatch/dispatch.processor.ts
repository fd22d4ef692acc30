import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import { DelayedError, type Job } from 'bullmq';
import { type Database, reschedule } from '#persistence';
import { type DispatchJob, priorityOf } from '#queue';
import type { CarrierPool, CarrierSlots } from '../carriers/carrier-pool.js';
import type { DispatchJournal } from './dispatch-journal.js';
import { dispatchOrder } from './dispatch-order.js';
import type { LeasedOrders } from './leased-orders.js';
import type { SlotRequests } from './slot-requests.js';

const SLOTS_WAIT_MS = 1_000;
/** How long a job stays away from a carrier that throttles and gives no slot. */
const THROTTLED_DELAY_MS = 1_000;
const TEST_SLOT_RETRY_MS = 50;

/** What the processors of one worker share. */
export interface DispatchDependencies {
  readonly database: Database;
  readonly pool: CarrierPool;
  readonly journal: DispatchJournal;
  readonly leases: LeasedOrders;
  /** Called with every segment that a carrier took. */
  readonly onTaken: (carrierId: number, destination: string, segments: number) => void;
  /** Called when a job of the carrier is over, so that there may be room on its queue. */
  readonly onRoom: (carrierId: number) => void;
  readonly onQueueError: (error: unknown) => void;
  readonly onJobError: (error: unknown) => void;
  readonly isStopping: () => boolean;
}

/**
 * The one place that starts a send: takes window slots of its carrier, claims as many orders as it has slots, and submits them.
 * So what is recorded as submitting is what is about to be written, and no order waits claimed for a full window. What cannot be
 * sent now is due at once: the reconciler puts it back into the backlog.
 */
export class DispatchProcessor extends WorkerHost {
  constructor(
    private readonly carrierId: number,
    private readonly slots: SlotRequests,
    private readonly shared: DispatchDependencies,
  ) {
    super();
  }

  /**
   * Resolves when every order of the job is claimed and handed to the carrier, or is due again: the carrier's answer holds up no other
   * job.
   *
   * @throws the first fault; the orders that it does not concern have been worked on all the same
   */
  async process(job: Job<DispatchJob>, token?: string): Promise<void> {
    const { database, isStopping, onRoom } = this.shared;
    const claims: Promise<void>[] = [];
    let left = job.data.ids;
    while (left.length > 0 && !isStopping() && !this.slots.isClosed) {
      const taken = await this.takeSlots(job, left.length);
      if (taken !== undefined) {
        claims.push(this.send(left.slice(0, taken.slots.length), taken));
        left = left.slice(taken.slots.length);
        continue;
      }
      if (this.isToBeLeft(job)) break;
      if (claims.length === 0 && this.isThrottled) await this.delay(job, token);
    }
    const outcomes = await Promise.allSettled([reschedule(database, left), ...claims]);
    onRoom(this.carrierId);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** An outage of the queue; BullMQ reconnects. */
  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.shared.onQueueError(error);
  }

  @OnWorkerEvent('failed')
  onFailed(_job: Job | undefined, error: Error): void {
    this.shared.onJobError(error);
  }

  private async takeSlots(job: Job<DispatchJob>, orders: number): Promise<CarrierSlots | undefined> {
    if (job.data.isTest !== true) return this.slots.take(orders, priorityOf(job), SLOTS_WAIT_MS);
    const taken = this.shared.pool.takeTestSlot(this.carrierId);
    if (taken === undefined) await new Promise((resolve) => setTimeout(resolve, TEST_SLOT_RETRY_MS));
    return taken;
  }

  /** Whether this carrier has taken nothing for so long, or is closed in such a way, that its orders go back to the backlog. */
  private isToBeLeft(job: Job<DispatchJob>): boolean {
    const { pool } = this.shared;
    if (job.data.isTest === true) return pool.find(this.carrierId)?.state !== 'bound';
    return pool.isToBeLeft(this.carrierId);
  }

  private get isThrottled(): boolean {
    return this.shared.pool.readinessOf(this.carrierId) === 'throttled';
  }

  /** Gives the job's place to another one, which may be of a higher priority. */
  private async delay(job: Job<DispatchJob>, token: string | undefined): Promise<never> {
    await job.moveToDelayed(Date.now() + THROTTLED_DELAY_MS, token);
    throw new DelayedError();
  }

  /** Resolves when the orders are claimed; what the carrier answers is recorded when it comes. */
  private async send(ids: readonly string[], taken: CarrierSlots): Promise<void> {
    const { journal, leases, onTaken, onJobError } = this.shared;
    const unused = [...taken.slots];
    try {
      for (const order of await journal.claim(ids, taken.carrierId, taken.format)) {
        const slot = unused.pop();
        if (slot === undefined) throw new Error('more orders than slots were claimed');
        const told = (segments: number) => onTaken(taken.carrierId, order.destination, segments);
        leases.during(order.id, dispatchOrder(order, slot, taken.carrierId, journal, told)).catch(onJobError);
      }
    } finally {
      // Orders that another worker has, or that are over, need no slot.
      for (const slot of unused) slot.release();
    }
  }
}
