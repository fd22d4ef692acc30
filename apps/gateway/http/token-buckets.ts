export interface BucketLimits {
  /** What comes back in a second; 0: nothing is limited. */
  readonly perSecond: number;
  /** What may be taken at once. */
  readonly burst: number;
  /** Owners that are remembered; of more, the one that is known longest is forgotten. */
  readonly ownersMax: number;
}

/**
 * A token bucket for each owner, as the moment at which it is full again (GCRA, ITU-T I.371): one number each, and no timer. A full
 * bucket need not be remembered.
 */
export class TokenBuckets {
  private readonly fullAtMs = new Map<string, number>();
  private readonly tokenMs: number;
  private readonly burstMs: number;

  constructor(private readonly limits: BucketLimits) {
    this.tokenMs = limits.perSecond === 0 ? 0 : 1_000 / limits.perSecond;
    this.burstMs = this.tokenMs * limits.burst;
  }

  /** Owners that are remembered. */
  get size(): number {
    return this.fullAtMs.size;
  }

  /** Milliseconds until one token can be taken; 0: now. */
  waitMs(owner: string, nowMs = performance.now()): number {
    const fullAt = this.fullAtMs.get(owner);
    return fullAt === undefined ? 0 : Math.max(0, fullAt + this.tokenMs - this.burstMs - nowMs);
  }

  /**
   * Takes tokens if there are enough; more than the bucket holds are taken from a full one.
   *
   * @returns milliseconds after which to try again; 0: they were taken
   */
  take(owner: string, tokens = 1, nowMs = performance.now()): number {
    const costMs = Math.min(tokens, this.limits.burst) * this.tokenMs;
    const fullAt = Math.max(this.fullAtMs.get(owner) ?? 0, nowMs) + costMs;
    if (fullAt - nowMs > this.burstMs) return fullAt - nowMs - this.burstMs;
    this.remember(owner, fullAt);
    return 0;
  }

  /** Takes tokens for something that has happened already: the bucket may be left owing, up to what it holds. */
  owe(owner: string, tokens: number, nowMs = performance.now()): void {
    if (this.tokenMs === 0) return;
    const fullAt = Math.max(this.fullAtMs.get(owner) ?? 0, nowMs) + tokens * this.tokenMs;
    this.remember(owner, Math.min(fullAt, nowMs + 2 * this.burstMs));
  }

  private remember(owner: string, fullAtMs: number): void {
    if (this.tokenMs === 0) return;
    // Known again as the latest, so that those at the front are the first to be full.
    this.fullAtMs.delete(owner);
    if (this.fullAtMs.size >= this.limits.ownersMax) {
      const [oldest = ''] = this.fullAtMs.keys();
      this.fullAtMs.delete(oldest);
    }
    this.fullAtMs.set(owner, fullAtMs);
  }
}
