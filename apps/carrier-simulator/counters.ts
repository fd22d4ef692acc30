/** What the simulator did since it started; kept in quiet mode too. */
export interface Counters {
  submits: number;
  taken: number;
  receiptsSent: number;
  receiptsAcknowledged: number;
  /** Receipts given up after the last try. */
  receiptsDropped: number;
}

export function zeroCounters(): Counters {
  return { submits: 0, taken: 0, receiptsSent: 0, receiptsAcknowledged: 0, receiptsDropped: 0 };
}
