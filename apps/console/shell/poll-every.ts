import { ApiError } from './api/api-error.js';

const FIRST_MS = 2_000;
const THEN_MS = 5_000;
const LAST_MS = 15_000;

/** How often what changes by itself is asked for again, by how long it has been looked at: 2, 5, then 15 seconds. */
export function pollEveryMs(sinceMs: number, nowMs: number): number {
  const ageMs = nowMs - sinceMs;
  if (ageMs < 20_000) return FIRST_MS;
  return ageMs < 120_000 ? THEN_MS : LAST_MS;
}

/** Until what failed for now is asked for again. */
export const AGAIN_MS = 4_000;

/** How soon what failed for now is asked for again, also by a page that would ask only once; false: not at all. */
export function againMs(error: unknown): number | false {
  return error instanceof ApiError && error.isPassing ? AGAIN_MS : false;
}

let factor = 1;

/** The service says how many times less often pages are to ask, because many of them are open. */
export function heedPollFactor(told: string | null): void {
  factor = Math.max(1, Number(told) || 1);
}

/**
 * How often a page asks again that would like to ask each `everyMs`. Slowed pages differ a little, by chance, because
 * those that were told a new factor together would ask together for ever.
 */
export function pacedMs(everyMs: number, chance = Math.random()): number {
  return factor === 1 ? everyMs : everyMs * factor * (0.85 + 0.3 * chance);
}

/**
 * How soon a page asks again; false: not at all.
 *
 * @param polledMs how often it would ask; false or undefined: once, so that only a failure brings it to ask again
 */
export function nextMs(polledMs: number | false | undefined, error: unknown): number | false {
  const ms = polledMs || againMs(error);
  return ms && pacedMs(ms);
}

const UNCHANGED_MS = 120_000;
const SLOWER = 4;

/** By answers; one that is equal to the one before is the same object (structural sharing of TanStack Query). */
const sinceMs = new WeakMap<object, number>();

/** What has been the same for two minutes is asked for four times less often, until it changes. */
export function slowed(everyMs: number, answer: unknown, nowMs = Date.now()): number {
  if (typeof answer !== 'object' || answer === null) return everyMs;
  const since = sinceMs.get(answer) ?? nowMs;
  sinceMs.set(answer, since);
  return nowMs - since < UNCHANGED_MS ? everyMs : everyMs * SLOWER;
}
