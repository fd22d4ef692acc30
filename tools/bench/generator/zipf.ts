import { SeededRandom } from '../../harness/seeded-random.js';

/**
 * Which of so many is meant, time after time: the n-th with 1/n of the share of the first (Zipf, exponent 1), as customers are large
 * and small. The same numbers give the same sequence.
 */
export function zipfSequence(of: number, length: number): number[] {
  const sums: number[] = [];
  let sum = 0;
  for (let n = 1; n <= of; n += 1) {
    sum += 1 / n;
    sums.push(sum);
  }
  const random = new SeededRandom(of);
  return Array.from({ length }, () => firstAbove(sums, random.next() * sum));
}

/** Index of the first of ascending values that is above a value. */
function firstAbove(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
