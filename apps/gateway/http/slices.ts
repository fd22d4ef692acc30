/** How long one slice of long work may delay other requests. */
const SLICE_MS = 2;

/** The paused works, in the order in which they continue. */
const paused: (() => void)[] = [];

/**
 * Divides long work into slices, and serves other requests between them. However many works there are, one slice of one
 * work runs in a turn of the event loop.
 */
export class Slices {
  private startMs = performance.now();

  /** Whether a pause is due. */
  get isOver(): boolean {
    return performance.now() - this.startMs >= SLICE_MS;
  }

  /** Resolves after other requests were served. */
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
