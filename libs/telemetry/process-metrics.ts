import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from '#config';

/** Gauges of prom-client whose names end like a counter's; `nodejs_active_resources` has the same by kind. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/**
 * What a process counts about itself, under names that follow the conventions of Prometheus. No label names the
 * process: Prometheus adds `job` and `instance`, and a process id would begin new series at every restart. No label
 * holds a number, a text or an account.
 */
export class ProcessMetrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
    const build = this.gauge('heliograph_build_info', '1, with the versions of Heliograph and of Node.', [
      'version',
      'node',
    ]);
    build.set({ version: VERSION, node: process.version }, 1);
  }

  protected counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** @param collect sets the values when the metrics are scraped */
  protected gauge(
    name: string,
    help: string,
    labelNames: string[] = [],
    collect?: (gauge: Gauge) => void | Promise<void>,
  ): Gauge {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      ...(collect !== undefined && { collect: () => collect(gauge) }),
    });
    return gauge;
  }

  protected histogram(name: string, help: string, buckets: number[], labelNames: string[] = []): Histogram {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}
