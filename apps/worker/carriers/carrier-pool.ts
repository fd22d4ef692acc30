import { Injectable } from '@nestjs/common';
import { formatMicros } from '#billing';
import { type CarrierReadiness, RouteTable, type SubmitSlot, takesMessages, type WireFormat } from '#carrier';
import { SANDBOX_CARRIER_ID } from '#persistence';
import { WorkerMetrics } from '../operations/worker-metrics.js';
import type { PooledCarrier } from './pooled-carrier.js';

/** How long messages wait for a carrier that is down or throttled before another one of their route gets them. */
const REROUTE_AFTER_MS = 3_000;

export interface CarrierSlots {
  readonly carrierId: number;
  /** How the connection of these slots writes messages. */
  readonly format: WireFormat;
  readonly slots: readonly SubmitSlot[];
}

/** The operator's carriers and routes, as `CarrierConnections` read them last. */
@Injectable()
export class CarrierPool {
  routes = new RouteTable([]);
  private readonly pooled = new Map<number, PooledCarrier>();
  private isClosing = false;
  /** Who takes the slots of each carrier, by its id. */
  private readonly slotTakers = new Map<number, () => void>();

  constructor(private readonly metrics: WorkerMetrics) {
    metrics.showCarriers(() => this.all());
  }

  /** Carriers whose queues this worker works on: all but those that only other workers are bound to. */
  get queuesToWorkOn(): readonly PooledCarrier[] {
    return this.all().filter(({ readiness }) => readiness !== 'bound-elsewhere');
  }

  readinessOf(carrierId: number): CarrierReadiness {
    return this.pooled.get(carrierId)?.readiness ?? 'removed';
  }

  /** Whether what waits for a carrier should look for another one. */
  isToBeLeft(carrierId: number): boolean {
    const readiness = this.readinessOf(carrierId);
    if (takesMessages(readiness)) return false;
    const isForGood = readiness === 'paused' || readiness === 'excluded' || readiness === 'removed';
    return isForGood || (this.find(carrierId)?.unusableMs ?? 0) >= REROUTE_AFTER_MS;
  }

  find(carrierId: number): PooledCarrier | undefined {
    return this.pooled.get(carrierId);
  }

  nameOf(carrierId: number): string {
    return this.pooled.get(carrierId)?.stored.name ?? String(carrierId);
  }

  /** With the sandbox, if an account has one. */
  all(): PooledCarrier[] {
    return [...this.pooled.values()];
  }

  /** Those that real messages may go to. */
  ofOperator(): PooledCarrier[] {
    return this.all().filter(({ id }) => id !== SANDBOX_CARRIER_ID);
  }

  /**
   * Free slots of one carrier, at once; undefined when it has none.
   *
   * @param isTest for messages that are to test it: also while it is paused or excluded
   */
  takeSlotsOf(carrierId: number, max: number, isTest = false): CarrierSlots | undefined {
    const pooled = this.pooled.get(carrierId);
    const carrier = this.isClosing ? undefined : pooled?.carrier;
    const slots = (isTest ? carrier : pooled)?.takeSlots(max) ?? [];
    return carrier && slots.length > 0 ? { carrierId, format: carrier.wireFormat, slots } : undefined;
  }

  /**
   * From now on `take` is called when slots of the carrier may be free after it gave fewer than it was asked for. Each
   * carrier has one taker.
   */
  tellOfSlots(carrierId: number, take: () => void): void {
    this.slotTakers.set(carrierId, take);
  }

  /** Counts segments that a carrier took: for its pace, and for the cost by the routes in memory. */
  countTaken(carrierId: number, destination: string, segments: number): void {
    this.pooled.get(carrierId)?.pace.note(segments);
    if (this.routes.isEmpty) return;
    const cost = this.routes.find(destination)?.targets.find((target) => target.carrierId === carrierId)?.cost;
    if (cost === undefined) return;
    const units = Number(formatMicros(cost.amount * BigInt(segments)));
    this.metrics.carrierCosts.inc({ carrier: this.nameOf(carrierId), currency: cost.currency }, units);
  }

  add(pooled: PooledCarrier): void {
    this.pooled.set(pooled.id, pooled);
  }

  remove(carrierId: number): void {
    this.pooled.delete(carrierId);
  }

  /** Gives no more slots. */
  close(): void {
    this.isClosing = true;
    this.tellAll();
  }

  /** Slots of the carrier may be free. */
  tell(carrierId: number): void {
    this.slotTakers.get(carrierId)?.();
  }

  /** Something has changed that may give slots. */
  tellAll(): void {
    for (const take of this.slotTakers.values()) take();
  }
}
