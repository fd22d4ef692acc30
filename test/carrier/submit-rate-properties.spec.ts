import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SubmitRate } from '../../libs/carrier/pace/submit-rate.js';
import { FUZZ_TIMEOUT_MS, fuzz } from '../support/fuzz.js';
import { between, countPerSecond, mostWithin, run, tokenBucket } from './virtual-carrier.js';

const WINDOWS_MS = [1, 10, 100, 500, 1_000, 3_000, 10_000];

/** What a bucket lets through: a twentieth of a second, and at least one and what a late timer may make up for. */
function mostAllowed(perSecond: number, windowMs: number): number {
  return (perSecond * windowMs) / 1_000 + Math.max(1 + perSecond / 50, perSecond / 20) + 1e-6;
}

const rates = fc.oneof(fc.double({ min: 0.05, max: 20, noNaN: true }), fc.integer({ min: 1, max: 2_000 }));

describe('the configured pace, whatever happens', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.oneof(fc.nat(30), fc.nat(5_000)) }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('take' as const), wanted: fc.integer({ min: 1, max: 300 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait as told' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('give back' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('accepted' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('throttled' as const), agoMs: fc.nat(500) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('clock stands or jumps back' as const), ms: fc.nat(50) }) },
  );

  test(
    'is exceeded over no span of time by more than its burst, and who waits as long as told may submit',
    () => {
      fc.assert(
        fc.property(rates, fc.array(step, { minLength: 10, maxLength: 200 }), (perSecond, steps) => {
          let nowMs = 1_000;
          const rate = new SubmitRate(perSecond, nowMs);
          const taken: number[] = [];
          for (const wanted of steps) {
            if (wanted.do === 'wait') nowMs += wanted.ms;
            else if (wanted.do === 'wait as told') {
              nowMs += rate.waitMs(nowMs) + 1e-3;
              expect(rate.available(1, nowMs)).toBe(1);
            } else if (wanted.do === 'take') {
              const count = rate.available(wanted.wanted, nowMs);
              expect(Number.isInteger(count) && count >= 0 && count <= wanted.wanted).toBe(true);
              rate.take(count);
              for (let index = 0; index < count; index += 1) taken.push(nowMs);
            } else if (wanted.do === 'give back') {
              if (taken.pop() !== undefined) rate.giveBack();
            } else if (wanted.do === 'accepted') rate.onAccepted(nowMs);
            else if (wanted.do === 'throttled') rate.onThrottled(nowMs, Math.max(0, nowMs - wanted.agoMs));
            else expect(rate.available(1, nowMs)).toBeLessThanOrEqual(1);
            expect(rate.limitPerSecond).toBeLessThanOrEqual(perSecond);
            expect(rate.limitPerSecond).toBeGreaterThan(0);
            // The longest that a carrier is left alone, or the time of one submit.
            expect(rate.waitMs(nowMs)).toBeLessThanOrEqual(Math.max(5_000, 400_000 / rate.limitPerSecond));
          }
          for (const windowMs of WINDOWS_MS) {
            expect(mostWithin(taken, windowMs)).toBeLessThanOrEqual(mostAllowed(perSecond, windowMs));
          }
        }),
        fuzz(200),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test(
    'is used to nine tenths where there is always more to send, at any latency that the window allows for',
    () => {
      const paces = fc.integer({ min: 2, max: 1_000 });
      fc.assert(
        fc.property(
          paces,
          fc.integer({ min: 1, max: 40 }),
          fc.integer({ min: 5, max: 60 }),
          (perSecond, latencyMs, size) => {
            fc.pre((size * 1_000) / (latencyMs + 1) >= perSecond * 1.2);
            const { sentAt } = run(10, new SubmitRate(perSecond, 0), () => true, latencyMs, size);
            expect(sentAt.length / 10).toBeGreaterThanOrEqual(perSecond * 0.9);
            for (const windowMs of WINDOWS_MS) {
              expect(mostWithin(sentAt, windowMs)).toBeLessThanOrEqual(mostAllowed(perSecond, windowMs));
            }
          },
        ),
        fuzz(25),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});

describe('a carrier that throttles', () => {
  const carriers = fc.record({
    capacity: fc.integer({ min: 20, max: 600 }),
    burst: fc.integer({ min: 3, max: 60 }),
    counts: fc.boolean(),
    latencyMs: fc.integer({ min: 1, max: 60 }),
  });

  test(
    'is used again within twenty seconds of recovering from any outage, and hardly asked in vain',
    () => {
      fc.assert(
        fc.property(
          carriers,
          fc.integer({ min: 3_000, max: 8_000 }),
          fc.integer({ min: 100, max: 8_000 }),
          ({ capacity, burst, counts, latencyMs }, fromMs, forMs) => {
            const admit = counts ? countPerSecond(capacity) : tokenBucket(capacity, burst);
            const isDown = (atMs: number) => atMs >= fromMs && atMs < fromMs + forMs;
            const size = Math.max(10, Math.ceil((capacity * (latencyMs + 2) * 1.5) / 1_000));
            const rate = new SubmitRate(undefined, 0);
            const { acceptedAt, throttledAt } = run(45, rate, (atMs) => !isDown(atMs) && admit(atMs), latencyMs, size);
            const backMs = fromMs + forMs;
            const restMs = 45_000 - backMs - 20_000;
            const perSecond = (between(acceptedAt, 45_000 - restMs, 45_000) * 1_000) / restMs;
            expect(perSecond).toBeGreaterThanOrEqual(capacity * 0.75);
            const inVain = between(throttledAt, 45_000 - restMs, 45_000);
            expect(inVain).toBeLessThanOrEqual((capacity * restMs * 0.15) / 1_000 + size);
            // While it refuses everything it is left alone but for a question now and then.
            if (forMs > 2_000) expect(between(throttledAt, fromMs + 1_500, backMs)).toBeLessThanOrEqual(size + 10);
          },
        ),
        fuzz(15),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});
