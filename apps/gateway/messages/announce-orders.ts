import { Coalescer, type CoalescerLimits } from '#persistence';
import type { DispatchQueue } from '#queue';
import type { Logger } from '#telemetry';
import type { GatewayMetrics } from '../operator/gateway-metrics.js';

const LIMITS: CoalescerLimits<readonly string[]> = {
  itemsMax: 1_000,
  weightMax: 2_000,
  weigh: (ids) => ids.length,
  pendingMax: 20_000,
};

/**
 * Tells the workers of accepted orders, after their commit and without making the client wait. What cannot be announced
 * is not lost: the sweeper finds the orders in the database.
 */
export class AnnounceOrders {
  private readonly coalescer: Coalescer<readonly string[], undefined>;
  private lastWarningMs = Number.NEGATIVE_INFINITY;

  constructor(
    queue: DispatchQueue,
    private readonly log: Logger,
    private readonly metrics: GatewayMetrics,
  ) {
    this.coalescer = new Coalescer(async (groups) => {
      await queue.enqueue(groups.flat());
      return groups.map(() => undefined);
    }, LIMITS);
  }

  announce(ids: readonly string[]): void {
    this.coalescer.add(ids).catch((error: unknown) => {
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
