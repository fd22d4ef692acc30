import type { SubmitOutcome } from '#carrier';

/** How long a message that was not written waits for its next attempt. */
export const NOT_SENT_BACK_OFF_MS = 250;
const BACK_OFF_MIN_MS = 1_000;
const BACK_OFF_MAX_MS = 60_000;

/**
 * How long an order waits of which the carrier did not take a segment. The wait doubles with every claim of the order,
 * also if the carrier throttled it: the adapter keeps the carrier's pace. What is throttled again and again is so for
 * its recipient, and would take the slots of the others. Half of the wait is random, so that messages of one outage
 * return one by one.
 */
export function backOffMs(kind: SubmitOutcome['kind'], attempt: number): number {
  if (kind === 'not-sent') return NOT_SENT_BACK_OFF_MS;
  const full = Math.min(BACK_OFF_MAX_MS, BACK_OFF_MIN_MS * 2 ** Math.min(attempt - 1, 10));
  return Math.round(full * (0.5 + Math.random() / 2));
}
