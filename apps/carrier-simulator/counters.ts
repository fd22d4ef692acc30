/** Counts of everything since the start; kept in quiet mode too. */
export interface Counters {
  submits: number;
  taken: number;
  receiptsSent: number;
  receiptsAcknowledged: number;
  /** Receipts given up after the last try. */
  receiptsDropped: number;
  /** Messages of handsets, each part and each try. */
  inboundSent: number;
  inboundAcknowledged: number;
  /** How often reading from a peer was paused, because the peer did not read either. */
  pauses: number;
}

export function zeroCounters(): Counters {
  return {
    submits: 0,
    taken: 0,
    receiptsSent: 0,
    receiptsAcknowledged: 0,
    receiptsDropped: 0,
    inboundSent: 0,
    inboundAcknowledged: 0,
    pauses: 0,
  };
}
