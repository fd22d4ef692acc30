import { probeDelayMs } from '#webhooks';

/** Failures in a row after which an endpoint gets one request at a time, with pauses between. */
const REST_AFTER_FAILURES = 20;
/** A clock that goes back by more was set: what follows another clock may waver. */
const CLOCK_STEP_MS = 5_000;
const DISABLE_AFTER_MS = 5 * 86_400_000;

/** What is known of an endpoint's failures. Times are milliseconds since 1970. */
export class FailingTime {
  private probes = 0;
  private lastSuccessAtMs: number | undefined;
  private lastError: string | undefined;
  private rests: boolean;
  private plannedAtMs: number;
  nextProbeAtMs: number;

  constructor(
    private failures: number,
    private since: Date | undefined,
    nowMs: number,
  ) {
    this.rests = failures >= REST_AFTER_FAILURES;
    this.plannedAtMs = nowMs;
    this.nextProbeAtMs = nowMs + probeDelayMs(0);
  }

  /** Nothing has succeeded for so long that only one event at a time is tried. */
  get isResting(): boolean {
    return this.rests;
  }

  get standing() {
    return {
      failures: this.failures,
      failingSince: this.since,
      lastSuccessAt: this.lastSuccessAtMs === undefined ? undefined : new Date(this.lastSuccessAtMs),
      lastError: this.lastError,
    };
  }

  /** Also when the clock was set back: the pause could last that much longer. */
  isProbeDue(nowMs: number): boolean {
    return nowMs >= this.nextProbeAtMs || nowMs < this.plannedAtMs - CLOCK_STEP_MS;
  }

  /** A probe waits for its answer. */
  probing(nowMs: number): void {
    this.probes += 1;
    this.planProbe(nowMs);
  }

  isOverLong(nowMs: number): boolean {
    return this.since !== undefined && nowMs - this.since.getTime() > DISABLE_AFTER_MS;
  }

  succeeded(nowMs: number): void {
    this.failures = 0;
    this.since = undefined;
    // In steps of a second: a new time is a row that is written.
    this.lastSuccessAtMs = Math.floor(nowMs / 1_000) * 1_000;
    this.leaveRest();
  }

  failed(error: string, nowMs: number): void {
    this.failures += 1;
    this.since ??= new Date(nowMs);
    this.lastError = error;
    if (this.rests || this.failures < REST_AFTER_FAILURES) return;
    this.rests = true;
    this.probes = 0;
    this.planProbe(nowMs);
  }

  leaveRest(): void {
    this.rests = false;
  }

  private planProbe(nowMs: number): void {
    this.plannedAtMs = nowMs;
    this.nextProbeAtMs = nowMs + probeDelayMs(this.probes);
  }
}
