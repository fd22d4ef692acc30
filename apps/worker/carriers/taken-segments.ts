import { Injectable } from '@nestjs/common';
import { formatMicros } from '#billing';
import { WorkerMetrics } from '../operations/worker-metrics.js';
import { CarrierPool } from './carrier-pool.js';

/** Counts the segments that carriers took: for the pace of each carrier, and for the cost by the routes in memory. */
@Injectable()
export class TakenSegments {
  constructor(
    private readonly carriers: CarrierPool,
    private readonly metrics: WorkerMetrics,
  ) {}

  count(carrierId: number, destination: string, segments: number): void {
    const { routes } = this.carriers;
    this.carriers.find(carrierId)?.pace.note(segments);
    if (routes.isEmpty) return;
    const cost = routes.find(destination)?.targets.find((target) => target.carrierId === carrierId)?.cost;
    if (cost === undefined) return;
    const units = Number(formatMicros(cost.amount * BigInt(segments)));
    this.metrics.carrierCosts.inc({ carrier: this.carriers.nameOf(carrierId), currency: cost.currency }, units);
  }
}
