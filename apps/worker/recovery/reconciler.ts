import type { Config } from '#config';
import {
  ANY_CARRIER,
  beginWalk,
  type Database,
  type OfferedOrder,
  purgeExpired,
  putInBacklog,
  releaseDeadWorkers,
  rematchReceipts,
  type StrandedWalk,
  settleReceiptedOrders,
  sweepOrders,
  tendBacklogs,
} from '#persistence';
import type { DispatchQueue } from '#queue';
import type { Logger } from '#telemetry';
import { Refill } from './refill.js';

const SWEEP_EVERY_MS = 1_000;
/** Orders in one transaction of the sweep: it locks them, and dispatch must not wait for it. */
const SWEEP_ORDERS_MAX = 200;
/** How often an empty queue makes the sweep look for stranded orders among all that are open. */
const STRANDED_EVERY_MS = 3_000;
const PURGE_EVERY_MS = 60_000;
const REMATCH_EVERY_MS = 60_000;
const TEND_EVERY_MS = 3_000;
/** Orders of one account that are offered at a time; more of them go to its backlog. */
const OFFERED_MAX = 50;
/** Receipts younger than this are matched again at every sweep, all others once a minute. */
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
  private nextRematchMs = 0;
  private nextStrandedMs = 0;
  private nextTendMs = 0;
  /** The walk over stranded orders that is under way. */
  private walk: StrandedWalk | undefined;
  private walkedTo: string | undefined;
  /** Since the queue lost everything, until all is offered again. */
  private refill: Refill | undefined;
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
    if ((await releaseDeadWorkers(this.database)) > 0 || performance.now() >= this.nextTendMs) {
      this.nextTendMs = performance.now() + TEND_EVERY_MS;
      await tendBacklogs(this.database);
    }
    if ((await this.areOrdersStranded()) && this.walk === undefined) {
      this.walk = beginWalk(this.refill === undefined ? this.walkedTo : undefined);
      this.refill?.walkBegins();
    }
    const { offered, walk, walkedTo } = await sweepOrders(this.database, this.walk, {
      limit: SWEEP_ORDERS_MAX,
      sweepAfterSeconds: this.config.SWEEP_AFTER_SECONDS,
      inDoubtWaitSeconds: this.config.IN_DOUBT_WAIT_SECONDS,
      receiptDeadlineSeconds: this.config.RECEIPT_DEADLINE_SECONDS,
    });
    if (this.walk !== undefined && walk === undefined) this.refill?.walkEnded();
    this.walk = walk;
    this.walkedTo = walkedTo ?? this.walkedTo;
    await this.offer(this.refill?.fresh(offered) ?? offered);
    if (this.refill?.isOver === true) this.refill = undefined;
    if (performance.now() >= this.nextRematchMs) {
      this.nextRematchMs = performance.now() + REMATCH_EVERY_MS;
      await rematchReceipts(this.database, ALL_RECEIPTS_SECONDS, this.config.IN_DOUBT_WAIT_SECONDS);
      await settleReceiptedOrders(this.database, this.config.IN_DOUBT_WAIT_SECONDS);
    }
    if (performance.now() >= this.nextPurgeMs) {
      // What is left goes with the next sweep: keys may come faster than a slice a minute.
      const isMore = await purgeExpired(this.database, this.config.IDEMPOTENCY_KEY_HOURS);
      if (!isMore) this.nextPurgeMs = performance.now() + PURGE_EVERY_MS;
    }
  }

  /**
   * A few orders of an account go on the queue, many into its backlog: they must not stand in the way of others. A queue that is
   * away costs the offer, not the deadlines: once it is back and empty, all is offered again.
   */
  private async offer(orders: readonly OfferedOrder[]): Promise<void> {
    if (orders.length === 0) return;
    const byAccount = new Map<string, string[]>();
    for (const { id, accountId } of orders) {
      const ids = byAccount.get(accountId);
      if (ids === undefined) byAccount.set(accountId, [id]);
      else ids.push(id);
    }
    const groups = [...byAccount].map(([account, ids]) => ({ account, ids }));
    const many = groups.filter(({ ids }) => ids.length > OFFERED_MAX).flatMap(({ ids }) => ids);
    try {
      if (many.length > 0) await putInBacklog(this.database, many, ANY_CARRIER, 'single');
      await this.queue.enqueue(groups.filter(({ ids }) => ids.length <= OFFERED_MAX));
      this.offeredMs = performance.now();
      this.log.debug({ orders: orders.length, intoBacklogs: many.length }, 'offered orders again');
    } catch (error) {
      if (this.refill !== undefined) this.refill = new Refill();
      this.walkedTo = undefined;
      this.log.warn({ err: error, orders: orders.length }, 'could not offer orders again');
    }
  }

  /** A queue that cannot be asked is not called empty: offering everything again would help nobody. */
  private async areOrdersStranded(): Promise<boolean> {
    try {
      // While new orders keep coming such a queue is never seen empty.
      if (await this.queue.hasLostEverything()) {
        this.log.warn('the queue is new or has lost what was on it; every open order is offered to it');
        this.refill = new Refill();
        this.walk = undefined;
      }
      if (this.refill !== undefined) return true;
      if (performance.now() < this.nextStrandedMs) return false;
      this.nextStrandedMs = performance.now() + STRANDED_EVERY_MS;
      const { waiting, active } = await this.queue.depth();
      return waiting + active === 0;
    } catch {
      return false;
    }
  }
}
