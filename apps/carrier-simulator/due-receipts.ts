import type { Receipt } from './receipt.js';
import type { Timers } from './timers.js';

/**
 * Receipts that are not due yet, by the millisecond in which they become due. At full rate dozens of them share a
 * timer; one timer for each was a fifth of the simulator's work.
 */
export class DueReceipts {
  private readonly byDueMs = new Map<number, Receipt[]>();

  constructor(
    private readonly timers: Timers,
    private readonly onDue: (receipts: readonly Receipt[]) => void,
  ) {}

  add(receipt: Receipt, delayMs: number): void {
    const nowMs = performance.now();
    const dueMs = Math.ceil(nowMs + delayMs);
    const sharing = this.byDueMs.get(dueMs);
    if (sharing !== undefined) {
      sharing.push(receipt);
      return;
    }
    const receipts = [receipt];
    this.byDueMs.set(dueMs, receipts);
    // A timer counts from the last whole millisecond and drops fractions. Without the added two it fires up to two
    // milliseconds early. The same addition for all keeps receipts with one delay in one list of timers, and so in
    // order.
    this.timers.after(Math.floor(dueMs - nowMs) + 2, () => {
      this.byDueMs.delete(dueMs);
      this.onDue(receipts);
    });
  }
}
