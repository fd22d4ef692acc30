import type { Histogram } from 'prom-client';
import { type Database, type Replica, type ReplicaLag, replicaLag } from '#persistence';
import { ReceivingMetrics } from '#telemetry';

/** The metrics of a gateway, served at its own `/metrics`. */
export class GatewayMetrics extends ReceivingMetrics {
  readonly accepted = this.counter(
    'heliograph_messages_accepted_total',
    'Messages accepted and charged; without test messages.',
  );
  readonly refusals = this.counter('heliograph_requests_refused_total', 'Requests refused, by error code.', ['code']);
  readonly guardRefusals = this.counter(
    'heliograph_guard_refusals_total',
    'Sends that a guard of their account refused, by guard; without test messages.',
    ['guard'],
  );
  readonly enqueueFailures = this.counter(
    'heliograph_enqueue_failures_total',
    'Messages that could not be enqueued after their commit; they wait in the backlogs.',
  );
  readonly failovers = this.counter(
    'heliograph_failovers_total',
    'Single messages put straight on the queue of a carrier of a later rank of their route, by that carrier.',
    ['carrier'],
  );
  readonly reads = this.counter('heliograph_reads_total', 'Lists and summaries read, by the server that answered.', [
    'server',
  ]);
  readonly commitRequests = this.histogram(
    'heliograph_commit_requests',
    'Requests that shared one commit.',
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  );
  readonly commitSeconds = this.histogram(
    'heliograph_commit_seconds',
    'Time from the start of a group commit to its end.',
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  );
  private readonly requestSeconds = this.histogram(
    'heliograph_http_request_seconds',
    'Time from the request to the end of its answer, by route and status.',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    ['route', 'status'],
  );

  readonly callbacksRefused = this.counter(
    'heliograph_callbacks_refused_total',
    'Callbacks of carriers refused, by carrier and reason.',
    ['carrier', 'reason'],
  );

  readonly operatorLoginsFailed = this.counter(
    'heliograph_operator_logins_failed_total',
    "Wrong passwords sent to the operators' listener.",
  );

  /** A label set that was looked up once is not hashed again at each request. */
  private readonly requestSecondsOf = new Map<string, Histogram.Internal<string>[]>();

  requestTook(route: string, status: number, seconds: number): void {
    let ofRoute = this.requestSecondsOf.get(route);
    if (ofRoute === undefined) {
      ofRoute = [];
      this.requestSecondsOf.set(route, ofRoute);
    }
    ofRoute[status] ??= this.requestSeconds.labels({ route, status: String(status) });
    ofRoute[status].observe(seconds);
  }

  /** @param expiresAt when the certificate that new connections get expires */
  showCertificate(expiresAt: () => Date): void {
    this.gauge(
      'heliograph_tls_certificate_expiry_timestamp_seconds',
      "When the TLS certificate of this gateway's API expires.",
      [],
      (gauge) => gauge.set(expiresAt().getTime() / 1_000),
    );
  }

  /** The state of this gateway's replica at the moment of a scrape. */
  showReplica(database: Database, replica: Replica): void {
    let asked: Promise<ReplicaLag | undefined> | undefined;
    /** One reading for all gauges of a scrape, which ask at the same moment; undefined if there is none. */
    const lag = (): Promise<ReplicaLag | undefined> => {
      asked ??= replicaLag(database, replica)
        .catch(() => undefined)
        .finally(() => {
          asked = undefined;
        });
      return asked;
    };
    this.gauge(
      'heliograph_replica_up',
      '1 while the replica answers this gateway and follows its database.',
      [],
      async (gauge) => gauge.set((await lag()) === undefined ? 0 : 1),
    );
    this.gauge(
      'heliograph_replica_lag_bytes',
      'How far the replica is behind the write-ahead log; not a number while it does not answer.',
      [],
      async (gauge) => gauge.set((await lag())?.bytes ?? Number.NaN),
    );
    this.gauge(
      'heliograph_replica_lag_seconds',
      'Age of the last transaction that the replica shows; not a number while it does not answer.',
      [],
      async (gauge) => gauge.set((await lag())?.seconds ?? Number.NaN),
    );
  }
}
