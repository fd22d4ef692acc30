import type { Config } from '#config';
import { type ClaimedOrder, type Database, renewLeases } from '#persistence';
import type { Logger } from '#telemetry';
import type { Lane } from './fair-slots.js';

/** How an order came to this worker, and how it goes back when it has to be tried again. */
interface Held {
  readonly sinceMs: number;
  readonly account: string;
  readonly lane: Lane;
}

/** The orders that this worker owns now. Renews the leases of those that take long, e.g. long messages at a slow carrier. */
export class OrdersInHand {
  private readonly held = new Map<string, Held>();
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
    return this.held.size;
  }

  /** Holds an order until the work on it is over. */
  async hold(order: ClaimedOrder, account: string, lane: Lane, work: Promise<void>): Promise<void> {
    this.held.set(order.id, { sinceMs: performance.now(), account, lane });
    try {
      await work;
    } finally {
      this.held.delete(order.id);
    }
  }

  /** Undefined when it is not held any more. */
  find(id: string): Pick<Held, 'account' | 'lane'> | undefined {
    return this.held.get(id);
  }

  private async renew(): Promise<void> {
    const beforeMs = performance.now() - this.renewAfterMs / 2;
    const ids = [...this.held].filter(([, { sinceMs }]) => sinceMs < beforeMs).map(([id]) => id);
    if (ids.length === 0) return;
    try {
      await renewLeases(this.database, this.workerId, ids, this.config.CLAIM_LEASE_SECONDS);
    } catch (error) {
      // The epoch fences what a lost lease would let through.
      this.log.warn({ err: error, orders: ids.length }, 'leases could not be renewed');
    }
  }
}
