import { Coalescer, type CoalescerLimits } from '#persistence';
import type { DispatchQueue, OrderGroup } from '#queue';
import type { Logger } from '#telemetry';
import type { GatewayMetrics } from '../operator/gateway-metrics.js';

const LIMITS: CoalescerLimits<OrderGroup> = {
  itemsMax: 1_000,
  weightMax: 2_000,
  weigh: ({ ids }) => ids.length,
  pendingMax: 20_000,
  // A job costs the queue about as much as fifty orders do, so fewer and fuller ones; a send after a pause is announced at once.
  gatherMs: 10,
};

/**
 * Tells the workers of accepted orders, after their commit and without making the client wait. One order goes on the queue itself;
 * of several, which the accept statement has put into the account's backlog, only that the account wants turns. What
 * cannot be announced is not lost: the sweeper and the workers find it in the database.
 */
export class AnnounceOrders {
  private readonly coalescer: Coalescer<OrderGroup, undefined>;
  private lastWarningMs = Number.NEGATIVE_INFINITY;

  constructor(
    queue: DispatchQueue,
    private readonly log: Logger,
    private readonly metrics: GatewayMetrics,
  ) {
    this.coalescer = new Coalescer(async (groups) => {
      const wantTurns = groups.filter(({ ids }) => ids.length > 1).map(({ account = '' }) => account);
      await Promise.all([queue.enqueue(groups.filter(({ ids }) => ids.length === 1)), queue.announceTurns(wantTurns)]);
      return groups.map(() => undefined);
    }, LIMITS);
  }

  announce(account: string, ids: readonly string[]): void {
    this.coalescer.add({ account, ids }).catch((error: unknown) => {
      this.metrics.announcementsFailed.inc(ids.length);
      // An outage fails thousands of them; one line a second says it.
      if (performance.now() - this.lastWarningMs < 1_000) return;
      this.lastWarningMs = performance.now();
      this.log.warn({ err: error }, 'the queue cannot be reached; the sweeper will announce the orders');
    });
  }

  drain(): Promise<void> {
    return this.coalescer.drain();
  }
}
