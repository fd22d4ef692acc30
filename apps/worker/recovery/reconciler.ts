import type { Config } from '#config';
import {
  type Database,
  purgeExpired,
  releaseDeadWorkers,
  rematchReceipts,
  settleReceiptedOrders,
  sweepOrders,
} from '#persistence';
import type { DispatchQueue } from '#queue';
import type { Logger } from '#telemetry';

const SWEEP_EVERY_MS = 1_000;
/** Orders in one transaction of the sweep: it locks them, and dispatch must not wait for it. */
const SWEEP_ORDERS_MAX = 200;
/** How often an empty queue makes the sweep look for stranded orders among all that are open. */
const STRANDED_EVERY_MS = 3_000;
/** A queue that has lost everything is filled again for so long at least: orders are offered when they are two seconds old. */
const REFILL_MS = 5_000;
const PURGE_EVERY_MS = 60_000;
/** Receipts younger than this are matched again at every sweep, all others with the purge. */
const RECENT_RECEIPTS_SECONDS = 300;
const ALL_RECEIPTS_SECONDS = 30 * 86_400;

/**
 * USE CASE: keeps every deadline. Offers orders that nobody claimed, takes over from workers that died, lets the carrier's
 * policy decide what is in doubt, ends what has waited too long, matches receipts that came too early, or for what is held. Every worker runs
 * it; the database lets one sweep at a time.
 */
export class Reconciler {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;
  private nextPurgeMs = 0;
  private nextStrandedMs = 0;
  private refillUntilMs = Number.NEGATIVE_INFINITY;
  /** What was offered since the queue lost everything. */
  private readonly refilled = new Set<string>();
  private offeredMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly queue: DispatchQueue,
    private readonly config: Config,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.running = this.reconcile().catch((error: unknown) => {
        this.log.warn({ err: error }, 'could not reconcile; trying again');
      });
      void this.running.then(() => {
        if (!this.isStopped) this.start();
      });
    }, SWEEP_EVERY_MS);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** Whether this worker has put orders on the queue again within this time. */
  offeredWithinMs(periodMs: number): boolean {
    return performance.now() - this.offeredMs <= periodMs;
  }

  private async reconcile(): Promise<void> {
    // First: a receipt that came while its segment was not in doubt yet may save it from being sent again.
    await rematchReceipts(this.database, RECENT_RECEIPTS_SECONDS, this.config.IN_DOUBT_WAIT_SECONDS);
    await releaseDeadWorkers(this.database);
    const ids = await sweepOrders(this.database, await this.areOrdersStranded(), {
      limit: SWEEP_ORDERS_MAX,
      sweepAfterSeconds: this.config.SWEEP_AFTER_SECONDS,
      inDoubtWaitSeconds: this.config.IN_DOUBT_WAIT_SECONDS,
      receiptDeadlineSeconds: this.config.RECEIPT_DEADLINE_SECONDS,
    });
    const fresh = this.isRefilling ? ids.filter((id) => !this.refilled.has(id)) : ids;
    if (this.isRefilling) {
      // Each order once: a backlog that is offered over and over keeps every worker busy with finding out that it is done.
      for (const id of fresh) this.refilled.add(id);
      // There may be more than one sweep takes.
      if (fresh.length >= SWEEP_ORDERS_MAX) this.refillUntilMs = performance.now() + REFILL_MS;
    }
    await this.offer(fresh);
    if (performance.now() >= this.nextPurgeMs) {
      this.nextPurgeMs = performance.now() + PURGE_EVERY_MS;
      await rematchReceipts(this.database, ALL_RECEIPTS_SECONDS, this.config.IN_DOUBT_WAIT_SECONDS);
      await settleReceiptedOrders(this.database, this.config.IN_DOUBT_WAIT_SECONDS);
      await purgeExpired(this.database, this.config.IDEMPOTENCY_KEY_HOURS);
    }
  }

  /** A queue that is away costs the offer, not the deadlines: once it is back and empty, all is offered again. */
  private async offer(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      await this.queue.enqueue(ids);
      this.offeredMs = performance.now();
      this.log.debug({ orders: ids.length }, 'offered orders again');
    } catch (error) {
      this.refilled.clear();
      this.log.warn({ err: error, orders: ids.length }, 'could not offer orders again');
    }
  }

  /** A queue that cannot be asked is not called empty: offering everything again would help nobody. */
  private async areOrdersStranded(): Promise<boolean> {
    try {
      // While new orders keep coming such a queue is never seen empty.
      if (await this.queue.hasLostEverything()) {
        this.log.warn('the queue has lost what was on it; offering every order again');
        this.refillUntilMs = performance.now() + REFILL_MS;
        this.refilled.clear();
      }
      if (this.isRefilling) return true;
      this.refilled.clear();
      if (performance.now() < this.nextStrandedMs) return false;
      this.nextStrandedMs = performance.now() + STRANDED_EVERY_MS;
      const { waiting, active } = await this.queue.depth();
      return waiting + active === 0;
    } catch {
      return false;
    }
  }

  private get isRefilling(): boolean {
    return performance.now() < this.refillUntilMs;
  }
}
