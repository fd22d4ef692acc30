const START = 8;
const MAX = 64;
/** An answer that takes longer counts as a sign of too many requests at a time. */
const SLOW_MS = 2_000;

/**
 * How many requests an endpoint gets at a time. It grows by one for each window of successes and is halved by a failure
 * (additive increase, multiplicative decrease). Slow answers halve it too, but to no less than it starts with: a
 * receiver may take 15 seconds, and with one request at a time its events would pile up for ever.
 */
export class DeliveryWindow {
  private size = START;

  get limit(): number {
    return Math.floor(this.size);
  }

  succeeded(durationMs: number): void {
    if (durationMs > SLOW_MS) {
      this.size = this.size > START ? Math.max(START, this.size / 2) : Math.min(START, this.size + 1 / this.size);
    } else this.size = Math.min(MAX, this.size + (this.size < START ? 1 : 1 / this.size));
  }

  failed(): void {
    this.size = Math.max(1, this.size / 2);
  }

  /** After a failing time: one at first. */
  restart(): void {
    this.size = 1;
  }
}
