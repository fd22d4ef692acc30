import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { retryDelayMs } from '#webhooks';

afterEach(() => {
  jest.restoreAllMocks();
});

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The pause at each end of chance, in ms. */
function pauses(failed: Parameters<typeof retryDelayMs>[0]): (number | undefined)[] {
  return [0, 1].map((random) => {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    return retryDelayMs(failed);
  });
}

describe('an event that failed comes again', () => {
  test('after a pause that chance makes 20 % shorter or longer', () => {
    expect(pauses({ attempts: 1, isOverloaded: false })).toEqual([4 * SECOND, 6 * SECOND]);
    expect(pauses({ attempts: 2, isOverloaded: false })).toEqual([4 * MINUTE, 6 * MINUTE]);
    expect(pauses({ attempts: 2, isOverloaded: true })).toEqual([4 * MINUTE, 6 * MINUTE]);
  });

  test('never within a minute of a timeout or 429', () => {
    expect(pauses({ attempts: 1, isOverloaded: true })).toEqual([60 * SECOND, 72 * SECOND]);
  });

  test.each([
    ['1 s', 1, false, [4, 6]],
    ['7 s', 7, false, [7, 8.4]],
    ['an hour', 3_600, false, [10, 12]],
    ['90 s, with 429', 90, true, [90, 108]],
    ['an hour, with 429', 3_600, true, [120, 144]],
  ])(
    'never before a Retry-After of %s, up to twice the pause',
    (_what, seconds, isOverloaded, [least = 0, most = 0]) => {
      const failed = { attempts: 1, retryAfterMs: seconds * SECOND, isOverloaded };
      expect(pauses(failed)).toEqual([least * SECOND, most * SECOND]);
    },
  );

  test('not after its tenth attempt', () => {
    expect(pauses({ attempts: 10, isOverloaded: true })).toEqual([undefined, undefined]);
  });
});
