/** What the simulator did since it started; kept in quiet mode too. */
export interface Counters {
  submits: number;
  taken: number;
  receiptsSent: number;
  receiptsAcknowledged: number;
  /** Receipts given up after the last try. */
  receiptsDropped: number;
  /** How often a peer was not read for a while, because it did not read either. */
  pauses: number;
}

export function zeroCounters(): Counters {
  return { submits: 0, taken: 0, receiptsSent: 0, receiptsAcknowledged: 0, receiptsDropped: 0, pauses: 0 };
}
