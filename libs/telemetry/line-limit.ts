const WINDOW_MS = 1_000;

/**
 * Limits the lines that the log gets in a second, and counts the others. A fault of every request, or a peer that sends
 * only faults, must not push everything else out of a log that is rotated by size.
 */
export class LineLimit {
  private windowStartMs = Number.NEGATIVE_INFINITY;
  private lines = 0;
  private leftOut = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param tell is called once a second while lines are left out, with their number since the last call */
  constructor(
    private readonly linesPerSecond: number,
    private readonly tell: (leftOut: number) => void = () => undefined,
  ) {}

  /** Whether there is room for one more line in this second; if not, the line is counted as left out. */
  admits(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.windowStartMs >= WINDOW_MS) {
      this.windowStartMs = nowMs;
      this.lines = 0;
    }
    if (this.lines < this.linesPerSecond) {
      this.lines += 1;
      return true;
    }
    this.leftOut += 1;
    this.timer ??= setTimeout(() => this.tellNow(), WINDOW_MS).unref();
    return false;
  }

  private tellNow(): void {
    const { leftOut } = this;
    this.timer = undefined;
    this.leftOut = 0;
    this.tell(leftOut);
  }
}
