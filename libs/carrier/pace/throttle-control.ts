/** Accepted submits of the last second are counted in slices; the limit changes once a slice at most. */
const SLICE_MS = 100;
const SLICES = 10;
const PAUSE_MIN_MS = 1_000;
/** Carriers also throttle for one recipient whose queue is full. Messages to others must not wait for long. */
const PAUSE_MAX_MS = 5_000;
const LIMIT_MIN_PER_SECOND = 1;
/** A limit above this has no effect on any carrier: throttling counts as over. */
const LIMIT_FORGOTTEN_PER_SECOND = 100_000;
/** After few refusals the limit becomes so much of itself, or down to the second if less was accepted. */
const CUT_FACTOR = 0.97;
const CUT_FACTOR_MIN = 0.9;
/** Seconds that count as a whole one: what was accepted in fewer is no rate yet. */
const WHOLE_SECOND = 0.9;
/** The limit rises so much in a slice while no capacity is known. */
const SEARCH_FACTOR = 1.5;
/** The same at the rate of the last cut: it begins with the first, and doubles each second up to the other. */
const PROBE_FACTOR_MIN = 1.003;
const PROBE_FACTOR_MAX = 1.25;

/**
 * Finds the rate that a carrier takes, from its throttling alone. The submits that it accepted in a second in which it
 * also refused some are its capacity. So the limit is cut to that number, not halved. Then it rises again: fast up to
 * the rate of the last cut, slowly above it, and faster the longer no submit is refused. A carrier that refuses
 * everything is left alone for 1 s, then 2 s, up to 5 s, and then gets one submit as a probe. Carriers of three kinds
 * that take 100 a second got 97 to 100 a second.
 */
export class ThrottleControl {
  /** Submits a second that the carrier seems to take; Infinity before its first throttling. */
  limitPerSecond = Number.POSITIVE_INFINITY;
  /** No submit may go out before this moment, in milliseconds of the given clock. */
  resumeAtMs = 0;

  private readonly accepted = new Array<number>(SLICES).fill(0);
  private slice = 0;
  /** The rate of the last cut: up to it the limit rises fast. Infinity: it is not known. */
  private ceilingPerSecond = Number.POSITIVE_INFINITY;
  private lastCutAtMs = Number.NEGATIVE_INFINITY;
  private steppedAtMs = 0;
  private pauses = 0;
  /** The last limit that worked. */
  private goodPerSecond = LIMIT_MIN_PER_SECOND;
  private acceptedSinceStep = false;
  private acceptedSinceCut = 0;
  private throttledSinceCut = 0;
  private wasLimiting = false;

  /** Notes that a submit had to wait because of the rate: only a limit that is used up may grow. */
  noteLimiting(): void {
    this.wasLimiting = true;
  }

  onAccepted(nowMs: number): void {
    this.advance(nowMs);
    const index = this.slice % SLICES;
    this.accepted[index] = (this.accepted[index] ?? 0) + 1;
    this.acceptedSinceStep = true;
    this.acceptedSinceCut += 1;
    if (this.pauses > 0) this.leavePause(nowMs);
    else if (nowMs - this.steppedAtMs >= SLICE_MS) this.grow(nowMs);
  }

  /**
   * Reacts to the throttling of a submit that was written at `writtenAtMs`.
   *
   * @returns how many submits the carrier already took above the new limit; the caller waits for as many
   */
  onThrottled(nowMs: number, writtenAtMs: number): number {
    this.advance(nowMs);
    if (writtenAtMs <= this.lastCutAtMs) return 0; // On its way before the last cut, which has answered it.
    this.throttledSinceCut += 1;
    if (nowMs - this.lastCutAtMs < SLICE_MS) return 0;
    const taken = this.accepted.reduce((sum, count) => sum + count, 0);
    const isFirst = this.limitPerSecond === Number.POSITIVE_INFINITY;
    const isFull = isFirst || this.throttledSinceCut > this.acceptedSinceCut;
    const ahead =
      taken === 0 ? this.pause(nowMs) : isFull ? this.cutToTaken(nowMs, taken) : this.cutALittle(nowMs, taken);
    if (isFirst) this.ceilingPerSecond = Number.POSITIVE_INFINITY;
    this.lastCutAtMs = nowMs;
    this.steppedAtMs = nowMs;
    this.throttledSinceCut = 0;
    this.acceptedSinceCut = 0;
    return ahead;
  }

  /** One refusal among many accepted submits: the limit is a little too high. */
  private cutALittle(nowMs: number, taken: number): number {
    const limit = this.limitPerSecond;
    this.ceilingPerSecond = limit;
    // Measured from cut to cut: a carrier that counts by the second refuses at the end of it, so the last moments alone
    // look too good.
    const sinceCut = (nowMs - this.lastCutAtMs) / 1_000;
    const takenPerSecond =
      sinceCut > WHOLE_SECOND && sinceCut < 2 ? this.acceptedSinceCut / sinceCut : taken / this.secondsSeen(nowMs);
    this.limitPerSecond = Math.max(
      LIMIT_MIN_PER_SECOND,
      Math.min(limit * CUT_FACTOR, Math.max(limit * CUT_FACTOR_MIN, takenPerSecond)),
    );
    return 0;
  }

  /** Mostly refusals: the number accepted in the last second is the carrier's capacity. */
  private cutToTaken(nowMs: number, taken: number): number {
    const secondsSeen = this.secondsSeen(nowMs);
    const takenPerSecond = secondsSeen > WHOLE_SECOND ? taken / secondsSeen : taken;
    this.pauses = 0;
    this.limitPerSecond = Math.max(LIMIT_MIN_PER_SECOND, Math.min(this.limitPerSecond, takenPerSecond));
    this.ceilingPerSecond = this.limitPerSecond;
    return Math.max(0, taken - this.limitPerSecond * secondsSeen);
  }

  private pause(nowMs: number): number {
    this.resumeAtMs = nowMs + Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** this.pauses);
    this.pauses += 1;
    this.limitPerSecond = LIMIT_MIN_PER_SECOND;
    return 0;
  }

  private leavePause(nowMs: number): void {
    this.pauses = 0;
    this.resumeAtMs = 0;
    this.limitPerSecond = Math.max(LIMIT_MIN_PER_SECOND, this.goodPerSecond / 2);
    if (this.goodPerSecond > LIMIT_MIN_PER_SECOND) this.ceilingPerSecond = this.goodPerSecond;
    this.steppedAtMs = nowMs;
  }

  private grow(nowMs: number): void {
    this.steppedAtMs = nowMs;
    if (!this.wasLimiting || !this.acceptedSinceStep || this.limitPerSecond === Number.POSITIVE_INFINITY) return;
    this.wasLimiting = false;
    this.acceptedSinceStep = false;
    const limit = this.limitPerSecond;
    this.goodPerSecond = limit;
    if (this.ceilingPerSecond === Number.POSITIVE_INFINITY) {
      this.limitPerSecond = limit * SEARCH_FACTOR;
    } else if (limit < this.ceilingPerSecond * 0.995) {
      this.limitPerSecond = limit + (this.ceilingPerSecond - limit) / 4;
    } else {
      const seconds = (nowMs - this.lastCutAtMs) / 1_000;
      const factor = Math.min(PROBE_FACTOR_MAX, 1 + (PROBE_FACTOR_MIN - 1) * 2 ** Math.max(0, seconds - 1));
      this.limitPerSecond = limit * factor;
      this.ceilingPerSecond = this.limitPerSecond;
    }
    if (this.limitPerSecond > LIMIT_FORGOTTEN_PER_SECOND) {
      this.limitPerSecond = Number.POSITIVE_INFINITY;
      this.ceilingPerSecond = Number.POSITIVE_INFINITY;
    }
  }

  private advance(nowMs: number): void {
    const slice = Math.floor(nowMs / SLICE_MS);
    for (let passed = Math.min(slice - this.slice, SLICES); passed > 0; passed--) {
      this.accepted[(slice - passed + 1) % SLICES] = 0;
    }
    this.slice = Math.max(this.slice, slice);
  }

  /** How much of the last second has passed since its first accepted submit. */
  private secondsSeen(nowMs: number): number {
    let age = SLICES - 1;
    while (age > 0 && this.accepted[(this.slice - age + SLICES) % SLICES] === 0) age--;
    return Math.max(1, age * SLICE_MS + (nowMs - this.slice * SLICE_MS)) / 1_000;
  }
}
