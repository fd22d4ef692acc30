import type { Config } from '#config';
import {
  type Database,
  purgeExpired,
  reconcileOrders,
  releaseDeadWorkers,
  rematchReceipts,
  requeueAll,
  settleReceiptedOrders,
} from '#persistence';
import type { DispatchQueues } from '#queue';
import type { Logger } from '#telemetry';

const DEADLINES_EVERY_MS = 250;
/** How often workers that died, receipts that came early, and a queue that lost its jobs are looked for. */
const LOOK_EVERY_MS = 1_000;
const TIDY_EVERY_MS = 60_000;
/** Receipts younger than this are matched again at every look, all others once a minute. */
const RECENT_RECEIPTS_SECONDS = 300;
const ALL_RECEIPTS_SECONDS = 30 * 86_400;

/**
 * USE CASE: acts on every deadline. Puts back into the backlog what no worker claimed in time, takes over from workers that died, lets
 * the carrier's policy decide what is in doubt, ends what has waited too long, matches receipts that came too early. Every worker has
 * one; the database lets one of them work at a time.
 */
export class Reconciler {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;
  private nextLookMs = 0;
  private nextPurgeMs = 0;
  private nextTidyMs = 0;

  constructor(
    private readonly database: Database,
    private readonly queues: DispatchQueues,
    private readonly config: Config,
    private readonly log: Logger,
    /** Called when backlogs have become longer. */
    private readonly onRequeued: () => void,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.running = this.reconcile().catch((error: unknown) => {
        this.log.warn({ err: error }, 'could not reconcile; trying again');
      });
      void this.running.then(() => {
        if (!this.isStopped) this.start();
      });
    }, DEADLINES_EVERY_MS);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async reconcile(): Promise<void> {
    const { database } = this;
    const { IN_DOUBT_WAIT_SECONDS: inDoubtWaitSeconds, RECEIPT_DEADLINE_SECONDS: receiptDeadlineSeconds } = this.config;
    if (performance.now() >= this.nextLookMs) {
      this.nextLookMs = performance.now() + LOOK_EVERY_MS;
      // First: a receipt that came while its segment was not in doubt yet may save it from being sent again.
      await rematchReceipts(database, RECENT_RECEIPTS_SECONDS, inDoubtWaitSeconds);
      await releaseDeadWorkers(database);
      if (await this.hasQueueLostEverything()) {
        this.log.warn('the queue is new or has lost what was on it; its orders go back to the backlogs');
        await requeueAll(database, this.config.SWEEP_AFTER_SECONDS);
      }
    }
    if ((await reconcileOrders(database, { inDoubtWaitSeconds, receiptDeadlineSeconds })) > 0) this.onRequeued();
    if (performance.now() >= this.nextPurgeMs) {
      // What is left goes with the next look: keys may come faster than a slice a minute.
      const isMore = await purgeExpired(database, this.config.IDEMPOTENCY_KEY_HOURS);
      this.nextPurgeMs = performance.now() + (isMore ? LOOK_EVERY_MS : TIDY_EVERY_MS);
    }
    if (performance.now() < this.nextTidyMs) return;
    this.nextTidyMs = performance.now() + TIDY_EVERY_MS;
    await rematchReceipts(database, ALL_RECEIPTS_SECONDS, inDoubtWaitSeconds);
    await settleReceiptedOrders(database, inDoubtWaitSeconds);
  }

  /** A queue that cannot be asked is not called empty. */
  private hasQueueLostEverything(): Promise<boolean> {
    return this.queues.hasLostEverything().catch(() => false);
  }
}
