import { afterEach, describe, expect, test } from '@jest/globals';
import { ApiError } from '../../apps/console/shell/api/api-error.js';
import { durationParts } from '../../apps/console/shell/duration-parts.js';
import { againMs, heedPollFactor, pacedMs, slowed } from '../../apps/console/shell/poll-every.js';

describe('how often a page asks again', () => {
  afterEach(() => heedPollFactor(null));

  test('what has been the same for two minutes, four times less often', () => {
    const answer = { balance: 1 };
    const sinceMs = 1_000_000;
    expect(slowed(5_000, answer, sinceMs)).toBe(5_000);
    expect(slowed(5_000, answer, sinceMs + 119_999)).toBe(5_000);
    expect(slowed(5_000, answer, sinceMs + 120_000)).toBe(20_000);
    expect(slowed(5_000, { balance: 2 }, sinceMs + 120_000)).toBe(5_000);
  });

  test.each([0, 429, 500, 503])('what failed with the status %i, though it is not polled', (status) => {
    expect(againMs(new ApiError(status, 'some', '', ''))).toBeGreaterThan(0);
  });

  test.each([400, 401, 403, 404, 409])('but not what was refused with the status %i', (status) => {
    expect(againMs(new ApiError(status, 'some', '', ''))).toBe(false);
    expect(againMs(null)).toBe(false);
  });

  test('follows what the service has told last', () => {
    expect(pacedMs(5_000)).toBe(5_000);
    heedPollFactor('2.5');
    expect(pacedMs(5_000, 0.5)).toBe(12_500);
    heedPollFactor(null);
    expect(pacedMs(5_000)).toBe(5_000);
  });

  test('differs between slowed pages by up to 15 percent', () => {
    heedPollFactor('2');
    expect([0, 1].map((chance) => pacedMs(1_000, chance))).toEqual([1_700, 2_300]);
    const some = Array.from({ length: 20 }, () => pacedMs(1_000));
    expect(new Set(some).size).toBeGreaterThan(1);
    for (const ms of some) expect(Math.abs(ms - 2_000)).toBeLessThanOrEqual(300);
  });

  test.each(['', '0', '0.2', '-3', 'often'])('and never asks more often because of %p', (told) => {
    heedPollFactor(told);
    expect(pacedMs(5_000)).toBe(5_000);
  });
});

describe('how long something took', () => {
  test.each([
    [1_240, [[1.2, 'second']]],
    [9_960, [[10, 'second']]],
    [59_400, [[59, 'second']]],
    [
      59_600,
      [
        [1, 'minute'],
        [0, 'second'],
      ],
    ],
    [
      239_600,
      [
        [4, 'minute'],
        [0, 'second'],
      ],
    ],
    [
      3_599_600,
      [
        [1, 'hour'],
        [0, 'minute'],
      ],
    ],
    [
      7_190_000,
      [
        [2, 'hour'],
        [0, 'minute'],
      ],
    ],
  ])('has neither 60 seconds nor 60 minutes (%d ms)', (milliseconds, parts) => {
    expect(durationParts(milliseconds)).toEqual(parts);
  });
});
