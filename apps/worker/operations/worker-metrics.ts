import type { Histogram } from 'prom-client';
import { READINESSES } from '#carrier';
import type { JobLane } from '#queue';
import { ReceivingMetrics, SECONDS } from '#telemetry';
import type { PooledCarrier } from '../carriers/pooled-carrier.js';

const ITEMS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** The metrics of a worker, served at its own `/metrics`. */
export class WorkerMetrics extends ReceivingMetrics {
  readonly submits = this.counter(
    'heliograph_submits_total',
    'Submits by carrier and outcome: one for each segment, or one for a message that the carrier takes whole.',
    ['carrier', 'outcome'],
  );
  readonly submitSeconds = this.histogram('heliograph_submit_seconds', 'Time from a submit to its response.', SECONDS, [
    'carrier',
  ]);
  readonly carrierCosts = this.counter(
    'heliograph_carrier_cost_units_total',
    'Cost of the segments that carriers took, by the costs of the routes, in units of the currency.',
    ['carrier', 'currency'],
  );
  readonly carrierFaults = this.counter(
    'heliograph_carrier_faults_total',
    'Connections to the carrier that ended or failed.',
    ['carrier'],
  );
  readonly deliveries = this.counter(
    'heliograph_deliveries_total',
    'Deliveries of carriers by SMPP, by carrier and kind: receipt, mobile-originated, unreadable, and also oversized.',
    ['carrier', 'kind'],
  );
  readonly receiptWaitSeconds = this.histogram(
    'heliograph_receipt_wait_seconds',
    'Time from the response of a submit to its receipt.',
    [...SECONDS, 60, 300, 1_800, 7_200, 43_200],
    ['carrier'],
  );
  readonly moves = this.counter(
    'heliograph_order_moves_total',
    'Messages that this worker moved to another state with the answer to a submit, by that state; without test messages.',
    ['state'],
  );
  private readonly dispatchDelay = this.histogram(
    'heliograph_dispatch_delay_seconds',
    'Time for which a message could have been sent until a worker first claimed it, by lane; without test messages.',
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200],
    ['lane'],
  );
  readonly ordersNotClaimed = this.counter(
    'heliograph_orders_not_claimed_total',
    'Messages on the queue that another worker had claimed already, or that go on with another carrier.',
  );
  readonly fed = this.counter(
    'heliograph_backlog_fed_total',
    "Messages that this worker moved from the backlogs of accounts to a carrier's queue.",
  );
  readonly failovers = this.counter(
    'heliograph_failovers_total',
    'Messages of backlogs given to a carrier of a later rank of their route, by that carrier.',
    ['carrier'],
  );
  readonly retained = this.counter(
    'heliograph_retention_dropped_total',
    'Texts, numbers and messages that retention has dropped.',
    ['what'],
  );
  readonly retentionSeconds = this.histogram(
    'heliograph_retention_slice_seconds',
    'Time of one transaction of retention.',
    SECONDS,
  );
  readonly writes = this.histogram('heliograph_write_items', 'Items that shared one write, by kind.', ITEMS, ['kind']);

  /** Label sets that are looked up once are not hashed again for each message. */
  private readonly dispatchDelayOf: Readonly<Record<JobLane, Histogram.Internal<string>>> = {
    interactive: this.dispatchDelay.labels({ lane: 'interactive' }),
    bulk: this.dispatchDelay.labels({ lane: 'bulk' }),
  };

  /** A message was claimed for the first time. */
  dispatched(lane: JobLane, waitedSeconds: number): void {
    this.dispatchDelayOf[lane].observe(waitedSeconds);
  }

  /** The state of the carriers at this worker at the moment of a scrape. */
  showCarriers(carriers: () => readonly PooledCarrier[]): void {
    this.gauge('heliograph_carrier_bound', '1 while this worker is bound to the carrier.', ['carrier'], (gauge) => {
      gauge.reset();
      for (const { stored, state } of carriers()) gauge.set({ carrier: stored.name }, state === 'bound' ? 1 : 0);
    });
    this.gauge('heliograph_carrier_binds', 'Binds to the carrier that this worker has up.', ['carrier'], (gauge) => {
      gauge.reset();
      for (const { stored, carrier } of carriers()) {
        const up = (carrier?.bindStates ?? []).filter(({ state }) => state === 'bound').length;
        gauge.set({ carrier: stored.name }, up);
      }
    });
    this.gauge(
      'heliograph_carrier_state',
      '1 for the state of the carrier at this worker, 0 for every other state.',
      ['carrier', 'state'],
      (gauge) => {
        gauge.reset();
        for (const { stored, readiness } of carriers()) {
          for (const state of READINESSES) gauge.set({ carrier: stored.name, state }, state === readiness ? 1 : 0);
        }
      },
    );
  }
}
