import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '#config';
import {
  completeBatches,
  completeInbound,
  Database,
  finishOptOuts,
  purgeExpired,
  reconcileOrders,
  releaseDeadWorkers,
  rematchReceipts,
  requeueAll,
  settleReceiptedOrders,
  startScheduled,
} from '#persistence';
import { DispatchQueues } from '#queue';
import type { Logger } from '#telemetry';
import { PeriodicWork } from '#timing';
import { Feeder } from '../dispatch/feeder.js';
import { CONFIG, LOG } from '../injected.js';
import { RepeatedFaults } from '../operations/repeated-faults.js';

const DEADLINES_EVERY_MS = 250;
/** How often it looks for workers that died, receipts that came early, and a queue that lost its jobs. */
const LOOK_EVERY_MS = 1_000;
const TIDY_EVERY_MS = 60_000;
/** Receipts younger than this are matched again at every look, others once a minute. */
const RECENT_RECEIPTS_SECONDS = 300;

/**
 * USE CASE: acts on every deadline. It queues scheduled orders whose time has come, puts orders that no worker claimed
 * in time back into the backlog, takes over from workers that died, lets the carrier's policy decide what is in doubt,
 * ends what has waited too long, matches receipts that came too early, and tells of batches that are final. It cancels
 * what waits for numbers that opted out, and stores long messages from handsets whose last parts do not come. Every
 * worker has one; the database lets one of them work at a time.
 */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly rounds: PeriodicWork;
  private nextLookMs = 0;
  private nextPurgeMs = 0;
  private nextTidyMs = 0;
  /** The last account whose scheduled messages it has queued. */
  private startedUpTo: string | undefined;
  /** The queues have lost their jobs, and not all orders are due again: the queues tell of it only once. */
  private isQueueLost = false;
  private isStopping = false;

  constructor(
    private readonly database: Database,
    private readonly queues: DispatchQueues,
    private readonly feeder: Feeder,
    private readonly faults: RepeatedFaults,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.rounds = new PeriodicWork(
      DEADLINES_EVERY_MS,
      () => this.reconcile(),
      (error) => faults.notReconciled('round', error),
    );
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    return this.rounds.stop();
  }

  private async reconcile(): Promise<undefined> {
    const { database } = this;
    const { IN_DOUBT_WAIT_SECONDS: inDoubtWaitSeconds, RECEIPT_DEADLINE_SECONDS: receiptDeadlineSeconds } = this.config;
    if (performance.now() >= this.nextLookMs) {
      this.nextLookMs = performance.now() + LOOK_EVERY_MS;
      // First, because an early receipt may save its segment from being sent again.
      await this.step('recent receipts', () => rematchReceipts(database, RECENT_RECEIPTS_SECONDS, inDoubtWaitSeconds));
      await this.step('dead workers', () => releaseDeadWorkers(database, this.config.CLAIM_LEASE_SECONDS));
      await this.step('batches', () => completeBatches(database));
      await this.step('opt-outs', () => finishOptOuts(database));
      await this.step('lost queues', () => this.requeueLost());
    }
    await this.step('scheduled orders', () => this.startScheduled());
    await this.step('deadlines', async () => {
      const requeued = await reconcileOrders(database, { inDoubtWaitSeconds, receiptDeadlineSeconds });
      if (requeued > 0) this.feeder.wake();
    });
    if (performance.now() >= this.nextPurgeMs) {
      this.nextPurgeMs = performance.now() + TIDY_EVERY_MS;
      await this.step('purge', async () => {
        // The next look removes the rest: new keys may come faster than one slice a minute.
        const isMore = await purgeExpired(database, this.config.IDEMPOTENCY_KEY_HOURS);
        if (isMore) this.nextPurgeMs = performance.now() + LOOK_EVERY_MS;
      });
    }
    if (performance.now() < this.nextTidyMs) return;
    this.nextTidyMs = performance.now() + TIDY_EVERY_MS;
    await this.step('all receipts', () => rematchReceipts(database, undefined, inDoubtWaitSeconds));
    await this.step('receipted orders', () => settleReceiptedOrders(database, inDoubtWaitSeconds));
    await this.step('parts of messages', () => completeInbound(database, this.config.SENDER));
  }

  /** One that fails each time must not keep the steps behind it from their work. */
  private async step(name: string, work: () => Promise<unknown>): Promise<void> {
    if (this.isStopping) return;
    try {
      await work();
    } catch (error) {
      this.faults.notReconciled(name, error);
    }
  }

  private async startScheduled(): Promise<void> {
    const { started, after } = await startScheduled(this.database, this.startedUpTo);
    this.startedUpTo = after;
    if (started > 0) this.feeder.wake();
  }

  private async requeueLost(): Promise<void> {
    if (await this.hasQueueLostEverything()) {
      this.isQueueLost = true;
      this.log.warn('the queue is new or has lost what was on it; its orders go back to the backlogs');
    }
    if (!this.isQueueLost) return;
    await requeueAll(this.database, this.config.SWEEP_AFTER_SECONDS);
    this.isQueueLost = false;
  }

  /** A queue that cannot be asked is not taken for empty. */
  private hasQueueLostEverything(): Promise<boolean> {
    return this.queues.hasLostEverything().catch(() => false);
  }
}
