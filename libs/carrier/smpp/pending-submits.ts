import type { LateOutcome, SubmitOutcome } from '../carrier.js';
import type { OutgoingPdu } from './connection.js';

/** A submit_sm that waits for its response. */
export interface PendingSubmit extends OutgoingPdu {
  readonly sequence: number;
  readonly submittedAtMs: number;
  readonly settle: (outcome: SubmitOutcome) => void;
  readonly onLate: LateOutcome | undefined;
}

/**
 * Submits without a response, by sequence number. All have the same timeout, so a Map, which keeps the order of
 * insertion, has the oldest first, and one sweep replaces a timer for each.
 */
export class PendingSubmits {
  private readonly bySequence = new Map<number, PendingSubmit>();

  get size(): number {
    return this.bySequence.size;
  }

  has(sequence: number): boolean {
    return this.bySequence.has(sequence);
  }

  add(pending: PendingSubmit): void {
    this.bySequence.set(pending.sequence, pending);
  }

  take(sequence: number): PendingSubmit | undefined {
    const pending = this.bySequence.get(sequence);
    if (pending !== undefined) this.bySequence.delete(sequence);
    return pending;
  }

  /** Removes and returns all that were submitted at `submittedUntilMs` or before. */
  takeExpired(submittedUntilMs: number): PendingSubmit[] {
    const expired: PendingSubmit[] = [];
    for (const pending of this.bySequence.values()) {
      if (pending.submittedAtMs > submittedUntilMs) break;
      expired.push(pending);
    }
    for (const { sequence } of expired) this.bySequence.delete(sequence);
    return expired;
  }

  takeUnwritten(): PendingSubmit[] {
    const unwritten = [...this.bySequence.values()].filter(({ written }) => !written);
    for (const { sequence } of unwritten) this.bySequence.delete(sequence);
    return unwritten;
  }

  takeAll(): PendingSubmit[] {
    const all = [...this.bySequence.values()];
    this.bySequence.clear();
    return all;
  }
}

/** The outcome of a submit without an answer: in doubt if it was written, otherwise certainly not sent. */
export function unansweredOutcome(pending: PendingSubmit, code: string): SubmitOutcome {
  return { kind: pending.written ? 'in-doubt' : 'not-sent', code };
}
