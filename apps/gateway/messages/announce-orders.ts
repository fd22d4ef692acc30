import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Coalescer, type CoalescerLimits } from '#batching';
import { DispatchQueue, type OrderGroup } from '#queue';
import type { Logger } from '#telemetry';
import { waitAtMost } from '#timing';
import { LOG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';

const LIMITS: CoalescerLimits<readonly OrderGroup[]> = {
  itemsMax: 1_000,
  weightMax: 2_000,
  weigh: (groups) => groups.reduce((sum, { ids }) => sum + ids.length, 0),
  pendingMax: 2_000,
  // A job costs the queue about as much as fifty orders do, so fewer and fuller ones; a send after a pause is announced
  // at once.
  gatherMs: 10,
};
/** Orders that are remembered while the queue cannot be reached; the sweeper finds the others. */
const MISSED_MAX = 100_000;
const AGAIN_AFTER_MS = 1_000;
const AGAIN_ORDERS = 2_000;
/** How long a gateway that stops tries to announce what it could not; the workers find the rest in the database. */
const ANNOUNCE_AT_END_MAX_MS = 3_000;

/**
 * Tells the workers of accepted orders, after their commit and without making the client wait. One order goes on the
 * queue itself; of several, which the accept statement has put into the account's backlog, only that the account wants
 * turns. What cannot be announced is announced when the queue can be reached again; a gateway that ends before that
 * loses nothing: the sweeper and the workers find it in the database.
 */
@Injectable()
export class AnnounceOrders implements OnApplicationShutdown {
  private readonly coalescer: Coalescer<readonly OrderGroup[], undefined>;
  private readonly missed: OrderGroup[] = [];
  private timer: NodeJS.Timeout | undefined;
  private announcing = Promise.resolve();
  private isDraining = false;
  private lastWarningMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly queue: DispatchQueue,
    @Inject(LOG) private readonly log: Logger,
    private readonly metrics: GatewayMetrics,
  ) {
    this.coalescer = new Coalescer(async (commits) => {
      const groups = commits.flat();
      const wantTurns = groups.filter(({ ids }) => ids.length > 1).map(({ account = '' }) => account);
      await Promise.all([queue.enqueue(groups.filter(({ ids }) => ids.length === 1)), queue.announceTurns(wantTurns)]);
      return commits.map(() => undefined);
    }, LIMITS);
  }

  /** @param groups what one commit has accepted, a group for each request */
  announce(groups: readonly OrderGroup[]): void {
    if (groups.length === 0) return;
    this.coalescer.add(groups).catch((error: unknown) => {
      for (const group of groups) {
        this.metrics.enqueueFailures.inc(group.ids.length);
        // Workers look for backlogs by themselves.
        if (group.ids.length === 1 && this.missed.length < MISSED_MAX) this.missed.push(group);
      }
      this.announceLater();
      // An outage fails thousands of them; one line a second says it.
      if (performance.now() - this.lastWarningMs < 1_000) return;
      this.lastWarningMs = performance.now();
      this.log.warn({ err: error }, 'the queue cannot be reached; orders are announced when it can be');
    });
  }

  /** After the last commit (`GroupCommit` depends on this), and before the queue closes. */
  onApplicationShutdown(): Promise<void> {
    return waitAtMost(ANNOUNCE_AT_END_MAX_MS, this.drain());
  }

  /** One more try of what was missed; the database has what it leaves. */
  async drain(): Promise<void> {
    this.isDraining = true;
    clearTimeout(this.timer);
    await this.coalescer.drain();
    await this.announcing;
    await this.announceMissed();
  }

  private announceLater(): void {
    if (this.timer !== undefined || this.missed.length === 0 || this.isDraining) return;
    this.timer = setTimeout(() => {
      this.announcing = this.announceMissed().then(() => {
        this.timer = undefined;
        this.announceLater();
      });
    }, AGAIN_AFTER_MS).unref();
  }

  /** Until all are announced, or the queue fails again. */
  private async announceMissed(): Promise<void> {
    while (this.missed.length > 0) {
      const orders = this.missed.slice(0, AGAIN_ORDERS);
      try {
        await this.queue.enqueue(orders);
      } catch {
        return;
      }
      this.missed.splice(0, orders.length);
    }
  }
}
