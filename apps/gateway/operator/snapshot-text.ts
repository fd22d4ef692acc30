import { wireJson } from '#operations';

/**
 * An answer that many look at, as JSON: read and written at most once in a time for everybody who asks this gateway, and
 * only if somebody asks.
 */
export class SnapshotText {
  private latest: Promise<string> | undefined;
  private readAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly readAnswer: () => Promise<unknown>,
    private readonly freshForMs: number,
  ) {}

  /** @throws Error when it cannot be read; the next caller asks again */
  read(): Promise<string> {
    if (this.latest === undefined || performance.now() - this.readAtMs > this.freshForMs) {
      this.readAtMs = performance.now();
      const latest = this.readAnswer().then(wireJson);
      latest.catch(() => {
        if (this.latest === latest) this.latest = undefined;
      });
      this.latest = latest;
    }
    return this.latest;
  }
}
