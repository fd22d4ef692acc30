export interface BucketLimits {
  /** Tokens that come back in a second; 0: no limit. */
  readonly perSecond: number;
  /** Tokens that may be taken at once. */
  readonly burst: number;
  /** The most owners in memory; with more, the one that was used longest ago is forgotten. */
  readonly ownersMax: number;
}

/**
 * A token bucket for each owner, stored as the moment at which it is full again (GCRA, ITU-T I.371): one number each,
 * and no timer. A full bucket need not be stored.
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
  waitMs(owner: string): number {
    const fullAt = this.fullAtMs.get(owner);
    return fullAt === undefined ? 0 : Math.max(0, fullAt + this.tokenMs - this.burstMs - performance.now());
  }

  /**
   * Takes tokens if there are enough. A request for more than the bucket holds is served by a full bucket.
   *
   * @returns milliseconds after which to try again; 0: they were taken
   */
  take(owner: string, tokens = 1, nowMs = performance.now()): number {
    const costMs = Math.min(tokens, this.limits.burst) * this.tokenMs;
    // Not by way of the moment at which it is full: its rounding would refuse a request that empties a full bucket.
    const takenMs = Math.max(0, (this.fullAtMs.get(owner) ?? 0) - nowMs) + costMs;
    if (takenMs > this.burstMs) return takenMs - this.burstMs;
    this.remember(owner, nowMs + takenMs);
    return 0;
  }

  /** Takes tokens for work that is already done: the bucket may go into debt, up to its size. */
  owe(owner: string, tokens: number): void {
    if (this.tokenMs === 0) return;
    const nowMs = performance.now();
    const fullAt = Math.max(this.fullAtMs.get(owner) ?? 0, nowMs) + tokens * this.tokenMs;
    this.remember(owner, Math.min(fullAt, nowMs + 2 * this.burstMs));
  }

  private remember(owner: string, fullAtMs: number): void {
    if (this.tokenMs === 0) return;
    // Inserted again as the latest, so that the owners at the front are the first to be full.
    this.fullAtMs.delete(owner);
    if (this.fullAtMs.size >= this.limits.ownersMax) {
      const [oldest = ''] = this.fullAtMs.keys();
      this.fullAtMs.delete(oldest);
    }
    this.fullAtMs.set(owner, fullAtMs);
  }
}
