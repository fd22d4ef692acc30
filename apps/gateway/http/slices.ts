import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';

/** As long as long work may keep everybody else waiting. */
const SLICE_MS = 2;

/** Says when long work should stop for a moment, so that other requests are served meanwhile. */
export class Slices {
  private startMs = performance.now();

  /** Whether a pause is due. */
  get isOver(): boolean {
    return performance.now() - this.startMs >= SLICE_MS;
  }

  /** Resolves when the others have been served. */
  async pause(): Promise<void> {
    await nextTurnOfLoop();
    this.startMs = performance.now();
  }
}
