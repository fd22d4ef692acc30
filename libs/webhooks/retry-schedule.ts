const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses before the second attempt at an event and each further one; docs/guide/webhooks.md publishes them. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** The pauses between attempts at an endpoint where nothing succeeds any more; the last one repeats. */
const PROBE_DELAYS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS];
/** A pause is up to so much shorter or longer, so that what failed together does not come again together. */
const JITTER = 0.2;
/** After a timeout or 429, because more requests would make it worse. */
const RELIEF_MS = MINUTE_MS;

export interface FailedAttempt {
  /** The attempts that were made; the first one is 1. */
  readonly attempts: number;
  /** What the receiver asked for. */
  readonly retryAfterMs?: number | undefined;
  /** It took too long, or said that there is too much. */
  readonly isOverloaded: boolean;
}

/** How long to wait for the next attempt at an event; undefined: that was the last one. */
export function retryDelayMs(failed: FailedAttempt): number | undefined {
  const planned = RETRY_DELAYS_MS[failed.attempts - 1];
  if (planned === undefined) return undefined;
  const relief = failed.isOverloaded ? RELIEF_MS : 0;
  const asked = Math.min(failed.retryAfterMs ?? 0, 2 * Math.max(planned, relief));
  return Math.max(withJitter(planned), orLater(Math.max(relief, asked)));
}

/** How long to wait before a failing endpoint is tried again. */
export function probeDelayMs(probes: number): number {
  return withJitter(PROBE_DELAYS_MS[Math.min(probes, PROBE_DELAYS_MS.length - 1)] ?? 0);
}

/** What the receiver needs is the least: chance makes it only longer. */
function orLater(delayMs: number): number {
  return Math.round(delayMs * (1 + JITTER * Math.random()));
}

function withJitter(delayMs: number): number {
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * Math.random()));
}
