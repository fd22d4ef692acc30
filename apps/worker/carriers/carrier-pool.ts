import { Injectable } from '@nestjs/common';
import { formatMicros } from '#billing';
import { type CarrierReadiness, RouteTable } from '#carrier';
import { SANDBOX_CARRIER_ID } from '#persistence';
import { WorkerMetrics } from '../operations/worker-metrics.js';
import type { PooledCarrier } from './pooled-carrier.js';

/** The operator's carriers and routes, as `CarrierConnections` read them last. */
@Injectable()
export class CarrierPool {
  routes = new RouteTable([]);
  private readonly pooled = new Map<number, PooledCarrier>();

  constructor(private readonly metrics: WorkerMetrics) {
    metrics.showCarriers(() => this.all());
  }

  readinessOf(carrierId: number): CarrierReadiness {
    return this.pooled.get(carrierId)?.readiness ?? 'removed';
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

  /** Counts segments that a carrier took, and what they cost by the routes in memory. */
  countTaken({ id, pace, stored: { name } }: PooledCarrier, destination: string, segments: number): void {
    pace.note(segments);
    if (this.routes.isEmpty) return;
    const cost = this.routes.find(destination)?.targets.find((target) => target.carrierId === id)?.cost;
    if (cost === undefined) return;
    const units = Number(formatMicros(cost.amount * BigInt(segments)));
    this.metrics.carrierCosts.inc({ carrier: name, currency: cost.currency }, units);
  }

  add(pooled: PooledCarrier): void {
    this.pooled.set(pooled.id, pooled);
  }

  remove(pooled: PooledCarrier): void {
    this.pooled.delete(pooled.id);
    pooled.removedMs = performance.now();
  }
}
