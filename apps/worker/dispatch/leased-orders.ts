import type { Config } from '#config';
import { type Database, renewLeases } from '#persistence';
import type { Logger } from '#telemetry';

/** The orders that this worker owns now. Renews the leases of those that take long, e.g. long messages at a slow carrier. */
export class LeasedOrders {
  /** Since when this worker has each, and its work on it, by id. */
  private readonly leased = new Map<string, { readonly sinceMs: number; readonly work: Promise<void> }>();
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

  /** Keeps an order until the work on it is over. */
  async during(id: string, work: Promise<void>): Promise<void> {
    const leased = { sinceMs: performance.now(), work };
    this.leased.set(id, leased);
    try {
      await work;
    } finally {
      if (this.leased.get(id) === leased) this.leased.delete(id);
    }
  }

  /** Resolves when the work on every order is over. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.leased.values()].map(({ work }) => work));
  }

  private async renew(): Promise<void> {
    const beforeMs = performance.now() - this.renewAfterMs / 2;
    const ids = [...this.leased].filter(([, { sinceMs }]) => sinceMs < beforeMs).map(([id]) => id);
    if (ids.length === 0) return;
    try {
      await renewLeases(this.database, this.workerId, ids, this.config.CLAIM_LEASE_SECONDS);
    } catch (error) {
      // The epoch fences what a lost lease would let through.
      this.log.warn({ err: error, orders: ids.length }, 'leases could not be renewed');
    }
  }
}
