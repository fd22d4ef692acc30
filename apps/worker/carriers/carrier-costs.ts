import { formatMicros } from '#billing';
import type { WorkerMetrics } from '../operations/worker-metrics.js';
import type { CarrierPool } from './carrier-pool.js';

/** Counts the cost of the segments that carriers took, by the costs of the routes in this worker's memory. */
export class CarrierCosts {
  constructor(
    private readonly carriers: Pick<CarrierPool, 'routes' | 'nameOf'>,
    private readonly metrics: Pick<WorkerMetrics, 'carrierCosts'>,
  ) {}

  count(carrierId: number, destination: string, segments: number): void {
    const { routes } = this.carriers;
    if (routes.isEmpty) return;
    const cost = routes.find(destination)?.targets.find((target) => target.carrierId === carrierId)?.cost;
    if (cost === undefined) return;
    const units = Number(formatMicros(cost.amount * BigInt(segments)));
    this.metrics.carrierCosts.inc({ carrier: this.carriers.nameOf(carrierId), currency: cost.currency }, units);
  }
}
