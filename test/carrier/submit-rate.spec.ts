import { describe, expect, test } from '@jest/globals';
import { SubmitRate } from '../../libs/carrier/smpp/submit-rate.js';

/** Says whether a carrier takes a submit that arrives at a moment. */
type Admission = (atMs: number) => boolean;

function tokenBucket(perSecond: number, capacity: number): Admission {
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

function countPerSecond(perSecond: number): Admission {
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

interface Run {
  readonly acceptedAt: number[];
  readonly throttledAt: number[];
  readonly sentAt: number[];
}

/** A sender that always has more to send, with a window of 10, against a carrier that answers after `latencyMs`; in virtual time. */
function run(seconds: number, rate: SubmitRate, admit: Admission, latencyMs = 5, windowSize = 10): Run {
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
    const count = room === 0 ? 0 : rate.available(room, nowMs);
    rate.take(count);
    for (let index = 0; index < count; index++) {
      inFlight.push({ sentAt: nowMs, accepted: admit(nowMs) });
      result.sentAt.push(nowMs);
    }
  }
  return result;
}

const between = (moments: number[], fromMs: number, untilMs: number) =>
  moments.filter((moment) => moment >= fromMs && moment < untilMs).length;

function mostInAnySecond(moments: number[]): number {
  let most = 0;
  for (let first = 0, next = 0; next < moments.length; next++) {
    while ((moments[next] ?? 0) - (moments[first] ?? 0) >= 1_000) first++;
    most = Math.max(most, next - first + 1);
  }
  return most;
}

const always: Admission = () => true;

describe('the configured pace', () => {
  test.each([1, 10, 100, 1_000])(
    '%i a second is used to 95 % and never exceeded by more than a small burst',
    (limit) => {
      const { sentAt } = run(20, new SubmitRate(limit, 0), always);
      expect(sentAt.length / 20).toBeGreaterThanOrEqual(limit * 0.95);
      expect(mostInAnySecond(sentAt)).toBeLessThanOrEqual(limit + Math.max(1, limit * 0.05));
    },
  );

  test('an idle minute is not saved up', () => {
    const rate = new SubmitRate(100, 0);
    expect(rate.available(1_000, 60_000)).toBe(5);
  });

  test('a rate below one a second is kept too', () => {
    const { sentAt } = run(40, new SubmitRate(0.25, 0), always);
    expect(sentAt).toHaveLength(10);
  });

  test('the pace can be changed and lifted while it runs', () => {
    const rate = new SubmitRate(10, 0);
    rate.configure(100, 0);
    expect(run(5, rate, always).sentAt.length).toBeGreaterThanOrEqual(475);
    rate.configure(undefined, 5_000);
    expect(rate.available(1_000, 5_000)).toBe(1_000);
    expect(() => rate.configure(0, 0)).toThrow(RangeError);
  });

  test('what is given back can be taken again', () => {
    const rate = new SubmitRate(1, 0);
    rate.take(rate.available(1, 0));
    expect(rate.available(1, 0)).toBe(0);
    rate.giveBack();
    expect(rate.available(1, 0)).toBe(1);
  });
});

describe('a carrier that throttles without having said its limit', () => {
  test.each<[string, number, () => Admission, number?]>([
    ['counts 100 in each second', 100, () => countPerSecond(100)],
    ['lets no burst through', 100, () => tokenBucket(100, 1)],
    ['lets a burst of 10 through', 100, () => tokenBucket(100, 10)],
    ['lets a burst of 100 through', 100, () => tokenBucket(100, 100)],
    ['takes 30 a second', 30, () => tokenBucket(30, 5)],
    ['takes 1,000 a second', 1_000, () => tokenBucket(1_000, 50)],
    // Without room for a burst, each question whether there is more costs a fifth of a second here.
    ['takes 5 a second', 5, () => tokenBucket(5, 1), 0.85],
  ])('that %s is used to the full and hardly ever asked in vain', (_how, capacity, admission, share = 0.95) => {
    const { acceptedAt, throttledAt } = run(40, new SubmitRate(undefined, 0), admission());
    expect(between(acceptedAt, 5_000, 40_000) / 35).toBeGreaterThanOrEqual(capacity * share);
    expect(between(throttledAt, 5_000, 40_000)).toBeLessThanOrEqual(capacity * 35 * 0.1);
  });

  test.each([1, 50, 95])('latency of %i ms does not cost the rate', (latencyMs) => {
    const { acceptedAt } = run(40, new SubmitRate(undefined, 0), tokenBucket(100, 10), latencyMs);
    expect(between(acceptedAt, 5_000, 40_000) / 35).toBeGreaterThanOrEqual(95);
  });

  test('one that refuses everything is asked less and less, and used again soon after it recovers', () => {
    const bucket = tokenBucket(100, 10);
    const { acceptedAt, throttledAt } = run(
      60,
      new SubmitRate(undefined, 0),
      (atMs) => (atMs < 10_000 || atMs > 25_000) && bucket(atMs),
    );
    expect(between(throttledAt, 11_500, 25_000)).toBeLessThanOrEqual(8);
    const first = acceptedAt.find((moment) => moment > 25_000) ?? Number.POSITIVE_INFINITY;
    expect(first).toBeLessThanOrEqual(41_000);
    expect(between(acceptedAt, first + 3_000, first + 13_000) / 10).toBeGreaterThanOrEqual(95);
  });

  test('one that raises its limit is used to the new limit within seconds', () => {
    const slow = tokenBucket(50, 5);
    const fast = tokenBucket(500, 25);
    const { acceptedAt } = run(40, new SubmitRate(undefined, 0), (atMs) => (atMs < 10_000 ? slow : fast)(atMs));
    expect(between(acceptedAt, 20_000, 40_000) / 20).toBeGreaterThanOrEqual(475);
  });

  test('a configured pace above what the carrier takes gives way to it', () => {
    const { acceptedAt, throttledAt } = run(30, new SubmitRate(200, 0), tokenBucket(100, 10));
    expect(between(acceptedAt, 5_000, 30_000) / 25).toBeGreaterThanOrEqual(95);
    expect(between(throttledAt, 5_000, 30_000) / 25).toBeLessThanOrEqual(5);
  });
});
