import type { SubmitOutcome } from '#carrier';
import type { StoredCarrier } from '#persistence';

/** A carrier without a free slot for this long is throttled, not only full for a moment. */
const NO_SLOT_MAX_MS = 5_000;
/** The same, in submits at its rate, for carriers with a low contracted rate. */
const NO_SLOT_MAX_SUBMITS = 5;
/** How long a throttling error counts at a carrier that takes others. */
const THROTTLED_FOR_MS = 2_000;

/** Whether a carrier throttles, as its slots and its answers say. */
export class Throttling {
  /** Infinity while it gives slots. */
  private emptySinceMs = Number.POSITIVE_INFINITY;
  private throttledAtMs = Number.NEGATIVE_INFINITY;
  /** It has taken nothing since it last throttled. */
  private takesNothing = false;

  /** @param count the free slots that it has just given */
  noteSlots(count: number): void {
    this.emptySinceMs = count === 0 ? Math.min(this.emptySinceMs, performance.now()) : Number.POSITIVE_INFINITY;
  }

  noteOutcome(kind: SubmitOutcome['kind']): void {
    if (kind === 'throttled') this.throttledAtMs = performance.now();
    if (kind === 'throttled' || kind === 'accepted') this.takesNothing = kind === 'throttled';
  }

  /** If so, it throttles unless it gives a slot now: no caller may have asked for one for a while. */
  isLikely(stored: Pick<StoredCarrier, 'submitsPerSecond' | 'bindCount'>): boolean {
    const nowMs = performance.now();
    const isSlow = nowMs - this.emptySinceMs > noSlotMaxMs(stored);
    return isSlow || this.takesNothing || nowMs - this.throttledAtMs < THROTTLED_FOR_MS;
  }
}

function noSlotMaxMs({ submitsPerSecond, bindCount }: Pick<StoredCarrier, 'submitsPerSecond' | 'bindCount'>): number {
  if (submitsPerSecond === undefined) return NO_SLOT_MAX_MS;
  // If several workers have binds, each has a part of the rate.
  return Math.max(NO_SLOT_MAX_MS, (NO_SLOT_MAX_SUBMITS * 1_000 * (bindCount ?? 1)) / submitsPerSecond);
}
