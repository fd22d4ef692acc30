import { expect, test } from '@jest/globals';
import { TokenBuckets } from '../../apps/gateway/http/token-buckets.js';

test('a full bucket serves a request for all that it holds, whatever fraction of a millisecond it is', () => {
  const buckets = new TokenBuckets({ perSecond: 5, burst: 50, ownersMax: 10_000 });
  const refused: number[] = [];
  // Where the moment has finer fractions than the one ten seconds later can have.
  for (let n = 0; n < 5_000; n += 1) {
    const nowMs = 8_000 + n / 1.7;
    if (buckets.take(`owner ${n}`, 50, nowMs) > 0) refused.push(nowMs);
    expect(buckets.take(`owner ${n}`, 1, nowMs)).toBeGreaterThan(0);
  }
  expect(refused).toEqual([]);
});
