const WINDOW_MS = 1_000;

/**
 * Counts submit_sm in windows of one second. A window opens with the first submit_sm after the end of the last window.
 */
export class SubmitRate {
  private windowStartMs = Number.NEGATIVE_INFINITY;
  private taken = 0;

  /** @param perSecond 0: no limit */
  isOver(perSecond: number): boolean {
    if (perSecond === 0) return false;
    const nowMs = performance.now();
    if (nowMs - this.windowStartMs >= WINDOW_MS) {
      this.windowStartMs = nowMs;
      this.taken = 0;
    }
    if (this.taken >= perSecond) return true;
    this.taken++;
    return false;
  }
}
