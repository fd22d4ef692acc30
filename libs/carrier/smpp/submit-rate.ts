import { ThrottleControl } from './throttle-control.js';

/**
 * Submits that may go out at once after a wait, as a part of a second: it allows for timers and pauses of this process.
 */
const BURST_SECONDS = 0.05;

/**
 * When the next submit may go out: a token bucket at the configured rate, or at the carrier's own rate if that is
 * lower.
 */
export class SubmitRate {
  private readonly throttle = new ThrottleControl();
  private tokens = 1;
  private refilledAtMs: number;
  private configuredPerSecond: number;

  constructor(submitsPerSecond: number | undefined, nowMs: number) {
    this.configuredPerSecond = submitsPerSecond ?? Number.POSITIVE_INFINITY;
    this.refilledAtMs = nowMs;
  }

  /** Submits a second that are allowed now. */
  get limitPerSecond(): number {
    return Math.min(this.configuredPerSecond, this.throttle.limitPerSecond);
  }

  /** @throws RangeError when the rate is not above 0 */
  configure(submitsPerSecond: number | undefined, nowMs: number): void {
    if (submitsPerSecond !== undefined && !(submitsPerSecond > 0))
      throw new RangeError('submitsPerSecond must be above 0');
    this.refill(nowMs);
    this.configuredPerSecond = submitsPerSecond ?? Number.POSITIVE_INFINITY;
    this.refill(nowMs);
  }

  /** How many of `wanted` submits may go now. */
  available(wanted: number, nowMs: number): number {
    if (nowMs < this.throttle.resumeAtMs) return 0;
    this.refill(nowMs);
    if (this.tokens < wanted) this.throttle.noteLimiting();
    return Math.max(0, Math.min(wanted, Math.floor(this.tokens)));
  }

  take(count: number): void {
    this.tokens -= count;
  }

  /** A submit that was allowed but not made. */
  giveBack(): void {
    this.tokens = Math.min(this.tokens + 1, this.burst);
  }

  /** Milliseconds until one more submit may go; 0 when one may go now. */
  waitMs(nowMs: number): number {
    this.refill(nowMs);
    const forToken = this.tokens >= 1 ? 0 : ((1 - this.tokens) / this.limitPerSecond) * 1_000;
    return Math.max(0, forToken, this.throttle.resumeAtMs - nowMs);
  }

  onAccepted(nowMs: number): void {
    this.throttle.onAccepted(nowMs);
  }

  onThrottled(nowMs: number, writtenAtMs: number): void {
    this.refill(nowMs);
    const ahead = this.throttle.onThrottled(nowMs, writtenAtMs);
    if (ahead > 0) this.tokens = -ahead;
    this.tokens = Math.min(this.tokens, this.burst);
  }

  private get burst(): number {
    return Math.max(1, this.limitPerSecond * BURST_SECONDS);
  }

  private refill(nowMs: number): void {
    const burst = this.burst;
    const gained = ((nowMs - this.refilledAtMs) / 1_000) * this.limitPerSecond;
    this.tokens = burst === Number.POSITIVE_INFINITY ? burst : Math.min(burst, this.tokens + Math.max(0, gained));
    this.refilledAtMs = nowMs;
  }
}
