import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** What a gateway counts. Names carry their unit; no label holds a number, a text or an account. */
export class GatewayMetrics {
  readonly registry = new Registry();
  readonly accepted = this.counter('heliograph_messages_accepted_total', 'Messages accepted and charged.');
  readonly refusals = this.counter('heliograph_requests_refused_total', 'Requests refused, by error code.', ['code']);
  readonly announcementsFailed = this.counter(
    'heliograph_announcements_failed_total',
    'Orders that could not be put on the queue after their commit; they are announced when it can be reached.',
  );
  readonly reads = this.counter('heliograph_reads_total', 'Lists and summaries read, by the server that answered.', [
    'server',
  ]);
  readonly commitRequests = new Histogram({
    name: 'heliograph_commit_requests',
    help: 'Requests that shared one commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: [this.registry],
  });
  readonly commitSeconds = new Histogram({
    name: 'heliograph_commit_seconds',
    help: 'Time from the start of a group commit to its end.',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [this.registry],
  });
  private readonly requestSeconds = new Histogram({
    name: 'heliograph_http_request_seconds',
    help: 'Time from the request to the end of its answer, by route and status.',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [this.registry],
  });

  // The names of the worker's, which takes the receipts that come over a bind: at `/metrics` they add up.
  readonly receipts = this.counter('heliograph_receipts_total', 'Receipts stored, by carrier and state.', [
    'carrier',
    'state',
  ]);
  readonly receiptSeconds = new Histogram({
    name: 'heliograph_receipt_store_seconds',
    help: 'From a receipt to its commit.',
    labelNames: ['carrier'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });
  readonly parkedReceipts = this.counter('heliograph_receipts_parked_total', 'Receipts that matched nothing yet.');
  readonly callbacksRefused = this.counter(
    'heliograph_callbacks_refused_total',
    'Status callbacks refused, by carrier and reason.',
    ['carrier', 'reason'],
  );

  /** A label set that was looked up once need not be hashed again at each request. */
  private readonly requestSecondsOf = new Map<string, Histogram.Internal<'route' | 'status'>[]>();

  constructor() {
    this.registry.setDefaultLabels({ process: `gateway-${process.pid}` });
    collectDefaultMetrics({ register: this.registry, prefix: 'heliograph_' });
  }

  requestTook(route: string, status: number, seconds: number): void {
    let ofRoute = this.requestSecondsOf.get(route);
    if (ofRoute === undefined) {
      ofRoute = [];
      this.requestSecondsOf.set(route, ofRoute);
    }
    ofRoute[status] ??= this.requestSeconds.labels({ route, status: String(status) });
    ofRoute[status].observe(seconds);
  }

  private counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }
}
