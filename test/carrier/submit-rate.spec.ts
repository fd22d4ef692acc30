import { describe, expect, test } from '@jest/globals';
import { SubmitRate } from '../../libs/carrier/pace/submit-rate.js';
import { type Admission, between, countPerSecond, mostWithin, run, tokenBucket } from './virtual-carrier.js';

const always: Admission = () => true;

describe('the configured pace', () => {
  test.each([1, 10, 100, 1_000])(
    '%i a second is used to 95 % and never exceeded by more than a small burst',
    (limit) => {
      const { sentAt } = run(20, new SubmitRate(limit, 0), always);
      expect(sentAt.length / 20).toBeGreaterThanOrEqual(limit * 0.95);
      expect(mostWithin(sentAt, 1_000)).toBeLessThanOrEqual(limit + Math.max(1, limit * 0.05));
    },
  );

  test.each([1, 3, 10, 19, 30, 70])('%i a second is used to 97 %% by timers that are up to 17 ms late', (limit) => {
    const { sentAt } = run(60, new SubmitRate(limit, 0), always, 5, 10, 17);
    expect(sentAt.length / 60).toBeGreaterThanOrEqual(limit * 0.97);
    expect(mostWithin(sentAt, 1_000)).toBeLessThanOrEqual(limit + Math.max(1, limit * 0.05));
  });

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

  test('submits that wait for the rate go out together, those of an idle carrier at once', () => {
    const rate = new SubmitRate(1_000, 0);
    rate.take(rate.available(60, 100));
    expect(rate.available(5, 105)).toBe(0);
    expect(rate.waitMs(105)).toBeCloseTo(5);
    expect(rate.available(50, 110)).toBe(10);
    rate.take(10);
    expect(rate.available(5, 130)).toBe(5);
    rate.take(5);
    expect(rate.available(1, 130)).toBe(1);
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
    ['takes 500 a second and lets no burst through', 500, () => tokenBucket(500, 1)],
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

  test('one that throttles for one recipient alone keeps messages to others waiting for 5 s at most', () => {
    const rate = new SubmitRate(undefined, 0);
    let nowMs = 0;
    for (let refusals = 0; refusals < 10; refusals += 1) {
      rate.take(rate.available(1, nowMs));
      rate.onThrottled(nowMs + 5, nowMs);
      const waitMs = rate.waitMs(nowMs + 5);
      expect(waitMs).toBeLessThanOrEqual(5_000);
      nowMs += 5 + waitMs;
    }
  });

  test('one that raises its limit is used to the new limit within seconds', () => {
    const slow = tokenBucket(50, 5);
    const fast = tokenBucket(500, 25);
    const { acceptedAt } = run(40, new SubmitRate(undefined, 0), (atMs) => (atMs < 10_000 ? slow : fast)(atMs));
    expect(between(acceptedAt, 20_000, 40_000) / 20).toBeGreaterThanOrEqual(475);
  });

  test('a configured pace is used to the full at a carrier that lets no burst through', () => {
    const { acceptedAt, throttledAt } = run(30, new SubmitRate(500, 0), tokenBucket(500, 1));
    expect(between(acceptedAt, 5_000, 30_000) / 25).toBeGreaterThanOrEqual(475);
    expect(between(throttledAt, 5_000, 30_000)).toBe(0);
  });

  test('a carrier that lets no burst through throttles again only when ten minutes have passed', () => {
    const { acceptedAt, throttledAt } = run(1_210, new SubmitRate(200, 0), tokenBucket(200, 1));
    expect(between(acceptedAt, 5_000, 600_000) / 595).toBeGreaterThanOrEqual(199);
    expect(between(throttledAt, 5_000, 600_000)).toBe(0);
    expect(between(throttledAt, 600_000, 1_200_000)).toBeLessThanOrEqual(5);
  });

  test.each([10, 18])(
    '%i a second, with timers that come late, is hardly ever refused by one that goes by intervals',
    (limit) => {
      const { acceptedAt, throttledAt } = run(600, new SubmitRate(limit, 0), tokenBucket(limit, 1), 5, 10, 17);
      expect(between(acceptedAt, 5_000, 600_000) / 595).toBeGreaterThanOrEqual(limit * 0.8);
      expect(throttledAt.length).toBeLessThanOrEqual(2);
    },
  );

  test('a configured pace above what the carrier takes gives way to it', () => {
    const { acceptedAt, throttledAt } = run(30, new SubmitRate(200, 0), tokenBucket(100, 10));
    expect(between(acceptedAt, 5_000, 30_000) / 25).toBeGreaterThanOrEqual(95);
    expect(between(throttledAt, 5_000, 30_000) / 25).toBeLessThanOrEqual(5);
  });
});
