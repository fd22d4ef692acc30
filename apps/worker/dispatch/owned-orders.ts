import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '#config';
import { Database, renewLeases } from '#persistence';
import type { Logger } from '#telemetry';
import { PeriodicWork } from '#timing';
import { CONFIG, LOG, WORKER_ID } from '../injected.js';

interface OwnedOrder {
  readonly sinceMs: number;
  readonly work: Promise<void>;
  /** It is of a test key. */
  readonly isTest: boolean;
}

/** The orders that this worker has claimed, until its work on them is over, and their leases. */
@Injectable()
export class OwnedOrders implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly orders = new Map<string, OwnedOrder>();
  private readonly renewals: PeriodicWork;
  private readonly renewAfterMs: number;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(WORKER_ID) private readonly workerId: string,
    @Inject(LOG) log: Logger,
  ) {
    this.renewAfterMs = (config.CLAIM_LEASE_SECONDS * 1_000) / 3;
    this.renewals = new PeriodicWork(
      this.renewAfterMs,
      () => this.renew(),
      // If a lease is lost, the epoch fences what this worker still writes.
      (error) => log.warn({ err: error, orders: this.orders.size }, 'leases could not be renewed'),
    );
  }

  onApplicationBootstrap(): void {
    this.renewals.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.renewals.stop();
  }

  /** Keeps the lease of an order until the work on it is over. */
  async during(id: string, work: Promise<void>, isTest: boolean): Promise<void> {
    const owned = { sinceMs: performance.now(), work, isTest };
    this.orders.set(id, owned);
    try {
      await work;
    } finally {
      if (this.orders.get(id) === owned) this.orders.delete(id);
    }
  }

  /** Whether an order is known to be of a test key. */
  isTest(id: string): boolean {
    return this.orders.get(id)?.isTest === true;
  }

  /** Resolves when the work on every order is over. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.orders.values()].map(({ work }) => work));
  }

  /** Most orders are over before their lease needs it; long messages at a slow carrier are not. */
  private async renew(): Promise<undefined> {
    const beforeMs = performance.now() - this.renewAfterMs / 2;
    const ids = [...this.orders].filter(([, { sinceMs }]) => sinceMs < beforeMs).map(([id]) => id);
    if (ids.length > 0) await renewLeases(this.database, this.workerId, ids, this.config.CLAIM_LEASE_SECONDS);
  }
}
