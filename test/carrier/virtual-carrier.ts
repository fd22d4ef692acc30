import type { SubmitRate } from '../../libs/carrier/pace/submit-rate.js';

/** Says whether a carrier takes a submit that arrives at a moment. */
export type Admission = (atMs: number) => boolean;

export function tokenBucket(perSecond: number, capacity: number): Admission {
  let tokens = capacity;
  let last = 0;
  return (atMs) => {
    tokens = Math.min(capacity, tokens + ((atMs - last) * perSecond) / 1_000);
    last = atMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

export function countPerSecond(perSecond: number): Admission {
  let second = -1;
  let taken = 0;
  return (atMs) => {
    if (Math.floor(atMs / 1_000) !== second) {
      second = Math.floor(atMs / 1_000);
      taken = 0;
    }
    return taken++ < perSecond;
  };
}

export interface Run {
  readonly acceptedAt: number[];
  readonly throttledAt: number[];
  readonly sentAt: number[];
}

/**
 * A sender that always has more to send, with a window of 10, against a carrier that answers after `latencyMs`; in
 * virtual time.
 *
 * @param everyMs how often it gets to send: a busy machine wakes it late
 */
export function run(
  seconds: number,
  rate: SubmitRate,
  admit: Admission,
  latencyMs = 5,
  windowSize = 10,
  everyMs = 1,
): Run {
  const result: Run = { acceptedAt: [], throttledAt: [], sentAt: [] };
  let inFlight: Array<{ sentAt: number; accepted: boolean }> = [];
  for (let nowMs = 0; nowMs < seconds * 1_000; nowMs++) {
    const answered = inFlight.filter(({ sentAt }) => nowMs - sentAt >= latencyMs);
    inFlight = inFlight.filter(({ sentAt }) => nowMs - sentAt < latencyMs);
    for (const { sentAt, accepted } of answered) {
      if (accepted) rate.onAccepted(nowMs);
      else rate.onThrottled(nowMs, sentAt);
      (accepted ? result.acceptedAt : result.throttledAt).push(nowMs);
    }
    // Room of the window is offered to the rate only where there is some, as SubmitSlots does.
    const room = windowSize - inFlight.length;
    const count = room === 0 || nowMs % everyMs > 0 ? 0 : rate.available(room, nowMs);
    rate.take(count);
    for (let index = 0; index < count; index++) {
      inFlight.push({ sentAt: nowMs, accepted: admit(nowMs) });
      result.sentAt.push(nowMs);
    }
  }
  return result;
}

/** How many of the moments lie in a time. */
export function between(moments: readonly number[], fromMs: number, untilMs: number): number {
  return moments.filter((moment) => moment >= fromMs && moment < untilMs).length;
}

export function mostWithin(moments: readonly number[], windowMs: number): number {
  let most = 0;
  for (let first = 0, next = 0; next < moments.length; next++) {
    while ((moments[next] ?? 0) - (moments[first] ?? 0) >= windowMs) first++;
    most = Math.max(most, next - first + 1);
  }
  return most;
}
