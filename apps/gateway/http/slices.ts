/** How long a piece of long work may keep everybody else waiting. */
const SLICE_MS = 2;

/** The long works that have paused, in the order in which they go on. */
const paused: (() => void)[] = [];

/**
 * Divides long work into slices, and lets other requests be served between them. However many works there are, one
 * slice of one of them runs in a turn of the event loop.
 */
export class Slices {
  private startMs = performance.now();

  /** Whether a pause is due. */
  get isOver(): boolean {
    return performance.now() - this.startMs >= SLICE_MS;
  }

  /** Resolves when the others have been served. */
  async pause(): Promise<void> {
    await new Promise<void>((goOn) => {
      if (paused.push(goOn) === 1) setImmediate(runOne);
    });
    this.startMs = performance.now();
  }
}

function runOne(): void {
  paused.shift()?.();
  if (paused.length > 0) setImmediate(runOne);
}
