import { ProcessMetrics } from './process-metrics.js';

/** Buckets of a time that is between a commit and half a minute. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * What a process counts that receives from carriers: workers by SMPP, and gateways by HTTP callbacks. The names are the
 * same, so the sum over all processes is the number of all receipts.
 */
export class ReceivingMetrics extends ProcessMetrics {
  readonly receipts = this.counter(
    'heliograph_receipts_total',
    'Receipts that came, by carrier and state; `pending` ones are not final, and are not stored.',
    ['carrier', 'state'],
  );
  readonly receiptSeconds = this.histogram(
    'heliograph_receipt_store_seconds',
    'Time from a receipt to its commit.',
    SECONDS,
    ['carrier'],
  );
  readonly unmatchedReceipts = this.counter(
    'heliograph_receipts_unmatched_total',
    'Receipts that matched no message when they came.',
  );
  readonly inbound = this.counter(
    'heliograph_inbound_total',
    'Messages from handsets, by carrier and outcome: stored, unassigned, part, repeated or failed.',
    ['carrier', 'outcome'],
  );
}
