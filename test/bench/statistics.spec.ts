import { describe, expect, test } from '@jest/globals';
import { median, percentile, ratioOfPairs, spread } from '../../tools/harness/statistics.js';

describe('the figures of the bench', () => {
  test.each([
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.5, 5],
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.99, 10],
    [[1, 2, 3, 4], 0.25, 1],
    [[1, 2, 3, 4], 0.26, 2],
    [[7], 0.5, 7],
    [[7], 0.99, 7],
    [[7, 9], 0, 7],
    [[7, 9], 1, 9],
  ])('a percentile of %j at %d is a value that was measured: %d', (sorted, share, expected) => {
    expect(percentile(sorted, share)).toBe(expected);
  });

  test('of a thousand responses, ten may be slower than the p99', () => {
    const sorted = Float64Array.from({ length: 1_000 }, (_, index) => index + 1);
    expect(percentile(sorted, 0.99)).toBe(990);
  });

  test('a percentile of nothing is no number, and cannot be taken for a fast response', () => {
    expect(percentile([], 0.99)).toBeNaN();
  });

  test.each([
    [[3, 1, 2], 2],
    [[10, 9, 100], 10],
    [[4, 1, 3, 2], 2.5],
    [[5], 5],
  ])('the median of %j is %d, whatever the order of the windows', (values, expected) => {
    expect(median(values)).toBe(expected);
    expect(median(values.toReversed())).toBe(expected);
  });

  test('windows are summed up by their smallest, middle and largest', () => {
    expect(spread([3_100, 2_900, 5_000])).toEqual({ min: 2_900, median: 3_100, max: 5_000 });
  });

  test('a figure without a window is refused instead of published', () => {
    expect(() => spread([])).toThrow('no window was measured');
  });

  test('a ratio is of neighbouring windows, so that one that is lucky alone does not make it, nor a machine that slows down', () => {
    const pairs = [
      [100, 400],
      [50, 200],
      [9_000, 400],
    ] as const;
    expect(ratioOfPairs(pairs)).toBe(0.25);
  });

  test.each([[[]], [[[1, 0] as const]]])('there is no ratio of the pairs %j', (pairs) => {
    expect(ratioOfPairs(pairs)).toBeUndefined();
  });
});
