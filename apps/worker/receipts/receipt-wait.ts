import { Injectable } from '@nestjs/common';
import { WorkerMetrics } from '../operations/worker-metrics.js';

/** The most responses in memory; the oldest is forgotten first. */
const REMEMBERED_MAX = 100_000;

/**
 * Measures the time from a carrier's response to the receipt, for messages that this worker submitted. It is kept in
 * memory only, because nothing depends on it.
 */
@Injectable()
export class ReceiptWait {
  private readonly acceptedMs = new Map<string, number>();

  constructor(private readonly metrics: WorkerMetrics) {}

  accepted(carrierMessageId: string): void {
    this.acceptedMs.set(carrierMessageId, performance.now());
    if (this.acceptedMs.size <= REMEMBERED_MAX) return;
    const [oldest] = this.acceptedMs.keys();
    if (oldest !== undefined) this.acceptedMs.delete(oldest);
  }

  /** @param agoMs when the receipt came */
  received(carrier: string, carrierMessageId: string | undefined, agoMs: number): void {
    if (carrierMessageId === undefined) return;
    const sinceMs = this.acceptedMs.get(carrierMessageId);
    if (sinceMs === undefined || !this.acceptedMs.delete(carrierMessageId)) return;
    this.metrics.receiptWaitSeconds.observe({ carrier }, Math.max(0, performance.now() - agoMs - sinceMs) / 1_000);
  }
}
