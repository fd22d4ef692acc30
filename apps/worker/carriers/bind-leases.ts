import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Database, leaseBinds, releaseBinds } from '#persistence';
import type { Logger } from '#telemetry';
import { PeriodicWork } from '#timing';
import { BOUNDS, LOG, WORKER_ID } from '../injected.js';
import { CarrierConnections } from './carrier-connections.js';
import { CarrierPool } from './carrier-pool.js';
import type { PooledCarrier } from './pooled-carrier.js';

export interface BindLeaseSettings {
  readonly leaseMs: number;
  readonly renewEveryMs: number;
}

const BIND_LEASE: BindLeaseSettings = { leaseMs: 15_000, renewEveryMs: 5_000 };
/** A worker that could not renew a lease closes its binds when this part of the lease is left. */
const MARGIN = 0.25;
/** How long responses may still come when binds must be closed at once. */
const LET_GO_GRACE_MS = 500;

interface Held {
  slots: readonly number[];
  /** On this process's clock: the time by which the binds must be closed unless the lease was renewed. */
  safeUntilMs: number;
  isGivingUp: boolean;
  expiry: NodeJS.Timeout | undefined;
}

/**
 * Holds this worker's part of the binds that a carrier allows to all workers together. A bind lasts only as long as its
 * lease: it is closed before its slot is given back, and before the lease ends if it could not be renewed.
 */
@Injectable()
export class BindLeases implements OnApplicationShutdown {
  private readonly held = new Map<number, Held>();
  private readonly settings: BindLeaseSettings;
  private readonly renewals: PeriodicWork;
  private renewing: Promise<undefined> = Promise.resolve(undefined);
  private isQueued = false;
  private isClosing = false;

  constructor(
    private readonly database: Database,
    private readonly pool: CarrierPool,
    private readonly connections: CarrierConnections,
    @Inject(WORKER_ID) private readonly workerId: string,
    @Inject(LOG) private readonly log: Logger,
    @Inject(BOUNDS) bounds: { readonly bindLease?: BindLeaseSettings },
  ) {
    this.settings = bounds.bindLease ?? BIND_LEASE;
    this.renewals = new PeriodicWork(
      this.settings.renewEveryMs,
      () => this.renew(),
      (error) => log.warn({ err: error }, 'binds could not be leased; trying again'),
    );
  }

  start(): void {
    this.renewals.start(0);
  }

  /**
   * Renews, takes and gives up leases, for every shared carrier. One round runs at a time; calls during a round cause
   * one more.
   */
  renew(): Promise<undefined> {
    if (this.isQueued) return this.renewing;
    this.isQueued = true;
    this.renewing = this.renewing.then(() => {
      this.isQueued = false;
      return this.renewAll();
    });
    return this.renewing;
  }

  /** From now on only keeps the leases, while the carriers finish their submits. */
  stop(): void {
    this.isClosing = true;
  }

  /** Gives all leases back; the binds are closed by now. */
  async onApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    await this.renewals.stop();
    await this.renewing;
    for (const [carrierId, { expiry, slots }] of this.held) {
      clearTimeout(expiry);
      await this.release(carrierId, slots);
    }
    this.held.clear();
  }

  private async renewAll(): Promise<undefined> {
    const shared = new Map(this.pool.all().flatMap((pooled) => (pooled.isShared ? [[pooled.id, pooled]] : [])));
    for (const carrierId of new Set([...shared.keys(), ...this.held.keys()])) {
      try {
        await this.renewOne(carrierId, shared.get(carrierId));
      } catch (error) {
        this.log.warn({ err: error, carrier: this.pool.nameOf(carrierId) }, 'binds could not be leased; trying again');
      }
    }
  }

  private async renewOne(carrierId: number, pooled: PooledCarrier | undefined): Promise<void> {
    const askedMs = performance.now();
    const lease = await leaseBinds(this.database, carrierId, this.workerId, this.settings.leaseMs);
    const held = this.note(carrierId, lease.held, askedMs + this.settings.leaseMs * (1 - MARGIN));
    if (held.isGivingUp || this.isClosing) return;
    if (pooled === undefined) {
      // The carrier was removed, or is no longer shared: the pool closes its old binds.
      await this.giveUp(carrierId, held, lease.held, Promise.resolve());
      return;
    }
    if (held.safeUntilMs <= performance.now()) return;
    const keep = lease.held.filter((slot) => slot <= lease.bindCount).slice(0, lease.share);
    const surplus = lease.held.filter((slot) => !keep.includes(slot));
    if (surplus.length > 0) {
      this.log.info({ carrier: pooled.stored.name, binds: keep.length }, 'giving binds up to other workers');
      void this.giveUp(carrierId, held, surplus, this.connections.setBinds(pooled, keep.length));
    } else if (keep.length !== pooled.bindsHeld) {
      this.log.info({ carrier: pooled.stored.name, binds: keep.length, of: lease.bindCount }, 'holding binds');
      // It may have to wait for its former connection, and the leases of other carriers must not wait for that.
      void this.connections.setBinds(pooled, keep.length);
    }
  }

  private note(carrierId: number, slots: readonly number[], safeUntilMs: number): Held {
    const held = this.held.get(carrierId) ?? { slots, safeUntilMs, isGivingUp: false, expiry: undefined };
    this.held.set(carrierId, held);
    held.slots = slots;
    held.safeUntilMs = safeUntilMs;
    clearTimeout(held.expiry);
    held.expiry =
      slots.length === 0 ? undefined : setTimeout(() => this.expire(carrierId), safeUntilMs - performance.now());
    return held;
  }

  /** The lease could not be renewed: closes the binds before another worker may have them. */
  private expire(carrierId: number): void {
    const pooled = this.pool.all().find(({ id }) => id === carrierId);
    if (pooled === undefined || !pooled.isShared || pooled.bindsHeld === 0) return;
    this.log.error({ carrier: pooled.stored.name }, 'binds are closed, because their lease could not be renewed');
    pooled.bindsHeld = 0;
    void this.connections.disconnect(pooled, LET_GO_GRACE_MS);
  }

  private async giveUp(carrierId: number, held: Held, slots: readonly number[], closed: Promise<void>): Promise<void> {
    held.isGivingUp = true;
    try {
      await closed;
      await this.release(carrierId, slots);
      held.slots = held.slots.filter((slot) => !slots.includes(slot));
      if (held.slots.length === 0) {
        clearTimeout(held.expiry);
        this.held.delete(carrierId);
      }
    } finally {
      held.isGivingUp = false;
    }
  }

  /** A slot that cannot be given back is free when its lease ends. */
  private async release(carrierId: number, slots: readonly number[]): Promise<void> {
    if (slots.length === 0) return;
    await releaseBinds(this.database, carrierId, this.workerId, slots).catch((error: unknown) => {
      this.log.warn({ err: error }, 'binds could not be given back; they are free when their lease ends');
    });
  }
}
