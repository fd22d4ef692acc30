import type { Config } from '#config';
import { type ClaimedOrder, type Database, renewLeases } from '#persistence';
import type { Logger } from '#telemetry';

/** The orders that this worker owns now. Renews the leases of those that take long, e.g. long messages at a slow carrier. */
export class OrdersInHand {
  private readonly heldSinceMs = new Map<string, number>();
  private readonly renewAfterMs: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly workerId: string,
    private readonly log: Logger,
  ) {
    this.renewAfterMs = (config.CLAIM_LEASE_SECONDS * 1_000) / 3;
  }

  start(): void {
    this.timer = setInterval(() => void this.renew(), this.renewAfterMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  get count(): number {
    return this.heldSinceMs.size;
  }

  /** Holds an order until the work on it is over. */
  async hold(order: ClaimedOrder, work: Promise<void>): Promise<void> {
    this.heldSinceMs.set(order.id, performance.now());
    try {
      await work;
    } finally {
      this.heldSinceMs.delete(order.id);
    }
  }

  private async renew(): Promise<void> {
    const beforeMs = performance.now() - this.renewAfterMs / 2;
    const ids = [...this.heldSinceMs].filter(([, sinceMs]) => sinceMs < beforeMs).map(([id]) => id);
    if (ids.length === 0) return;
    try {
      await renewLeases(this.database, this.workerId, ids, this.config.CLAIM_LEASE_SECONDS);
    } catch (error) {
      // The epoch fences what a lost lease would let through.
      this.log.warn({ err: error, orders: ids.length }, 'leases could not be renewed');
    }
  }
}
