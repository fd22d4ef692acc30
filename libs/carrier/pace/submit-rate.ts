import { ThrottleControl } from './throttle-control.js';

/**
 * Submits that may go out at once after a wait, as a part of a second: it allows for timers and pauses of this process.
 */
const BURST_SECONDS = 0.05;

/** At a low rate, in which this burst is no more than one submit, a timer may be so late without loss of the rate. */
const LATE_SECONDS = 0.02;

/**
 * While submits wait for the rate, they go out together, as many as it allows in this time: to write some together
 * costs the database little more than to write one.
 */
const GRAIN_SECONDS = 0.01;
/**
 * A carrier that has throttled may allow no burst, so for this long its submits go out one by one. Then the service
 * tries again whether it may write some together.
 */
const ONE_BY_ONE_MS = 600_000;

/**
 * When the next submit may go out: a token bucket at the configured rate, or at the carrier's own rate if that is
 * lower.
 */
export class SubmitRate {
  private readonly throttle = new ThrottleControl();
  private tokens = 1;
  /** Fewer submits were allowed than were wanted. */
  private isShort = false;
  private throttledAtMs = Number.NEGATIVE_INFINITY;
  private pausedUntilMs = Number.NEGATIVE_INFINITY;
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
    if (nowMs < this.resumeAtMs) return 0;
    this.refill(nowMs);
    if (this.tokens < wanted) this.throttle.noteLimiting();
    if (this.tokens < this.needed) return 0;
    this.isShort = this.tokens < wanted;
    return Math.min(wanted, Math.floor(this.tokens));
  }

  take(count: number): void {
    this.tokens -= count;
  }

  /** A submit that was allowed but not made. */
  giveBack(): void {
    this.tokens = Math.min(this.tokens + 1, this.burst);
  }

  /** Milliseconds until more submits may go; 0 when one may go now. */
  waitMs(nowMs: number): number {
    this.refill(nowMs);
    const missing = this.needed - this.tokens;
    return Math.max(0, missing > 0 ? (missing / this.limitPerSecond) * 1_000 : 0, this.resumeAtMs - nowMs);
  }

  onAccepted(nowMs: number): void {
    this.throttle.onAccepted(nowMs);
  }

  onThrottled(nowMs: number, writtenAtMs: number): void {
    this.throttledAtMs = nowMs;
    this.refill(nowMs);
    const ahead = this.throttle.onThrottled(nowMs, writtenAtMs);
    if (ahead > 0) this.tokens = -ahead;
    this.tokens = Math.min(this.tokens, this.burst);
  }

  /** The carrier asked to be left alone until then. */
  pause(untilMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, untilMs);
  }

  private get resumeAtMs(): number {
    return Math.max(this.pausedUntilMs, this.throttle.resumeAtMs);
  }

  /** Tokens that there must be before a submit may go. */
  private get needed(): number {
    return this.isShort && !this.isOneByOne ? Math.max(1, Math.floor(this.limitPerSecond * GRAIN_SECONDS)) : 1;
  }

  private get burst(): number {
    const { limitPerSecond, isOneByOne } = this;
    return Math.max(1 + (isOneByOne ? 0 : limitPerSecond * LATE_SECONDS), limitPerSecond * BURST_SECONDS);
  }

  private get isOneByOne(): boolean {
    return this.refilledAtMs - this.throttledAtMs < ONE_BY_ONE_MS;
  }

  private refill(nowMs: number): void {
    const burst = this.burst;
    const gained = ((nowMs - this.refilledAtMs) / 1_000) * this.limitPerSecond;
    this.tokens = burst === Number.POSITIVE_INFINITY ? burst : Math.min(burst, this.tokens + Math.max(0, gained));
    this.refilledAtMs = nowMs;
  }
}
