import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const ITEMS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** What a worker counts. A gateway shows it at `/metrics`, from the worker's heartbeat. */
export class WorkerMetrics {
  readonly registry = new Registry();
  readonly submits = this.counter('heliograph_submits_total', 'Segments submitted, by carrier and outcome.', [
    'carrier',
    'outcome',
  ]);
  readonly submitSeconds = this.histogram('heliograph_submit_seconds', 'From a submit to its response.', SECONDS, [
    'carrier',
  ]);
  readonly carrierCosts = this.counter(
    'heliograph_carrier_cost_units_total',
    'What carriers take for the segments that they took, by the costs of the routes, in units of the currency.',
    ['carrier', 'currency'],
  );
  readonly receipts = this.counter('heliograph_receipts_total', 'Receipts stored, by carrier and state.', [
    'carrier',
    'state',
  ]);
  readonly receiptSeconds = this.histogram(
    'heliograph_receipt_store_seconds',
    'From a receipt to its commit.',
    SECONDS,
    ['carrier'],
  );
  readonly receiptWaitSeconds = this.histogram(
    'heliograph_receipt_wait_seconds',
    'From the response of a submit to its receipt.',
    [...SECONDS, 60, 300, 1_800, 7_200, 43_200],
    ['carrier'],
  );
  readonly parkedReceipts = this.counter('heliograph_receipts_parked_total', 'Receipts that matched nothing yet.');
  readonly moves = this.counter('heliograph_order_moves_total', 'Orders moved by this worker, by new state.', [
    'state',
  ]);
  readonly duplicateJobs = this.counter('heliograph_orders_not_claimed_total', 'Announced orders that others had.');
  readonly turns = this.counter('heliograph_turns_total', 'Turns that this worker took from the backlogs of accounts.');
  readonly spilledOrders = this.counter(
    'heliograph_orders_spilled_total',
    'Single messages put into the backlog of their account, which had too many waiting.',
  );
  readonly failovers = this.counter(
    'heliograph_failovers_total',
    'Times that a message was given to a carrier of a later rank of its route, by that carrier.',
    ['carrier'],
  );
  readonly restartedConsumers = this.counter(
    'heliograph_consumers_restarted_total',
    'Times that the watchdog made a consumer of a queue anew.',
  );
  readonly retained = this.counter(
    'heliograph_retention_dropped_total',
    'Texts and messages that retention has dropped.',
    ['what'],
  );
  readonly retentionSeconds = this.histogram(
    'heliograph_retention_slice_seconds',
    'Time of one transaction of retention.',
    SECONDS,
  );
  readonly writes = this.histogram('heliograph_write_items', 'Items that shared one write, by kind.', ITEMS, ['kind']);

  constructor(workerId: string) {
    this.registry.setDefaultLabels({ process: workerId });
    collectDefaultMetrics({ register: this.registry, prefix: 'heliograph_' });
  }

  private counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private histogram(name: string, help: string, buckets: number[], labelNames: string[] = []): Histogram {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}
