/** How often each name stands in a list. */
export function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Smallest, middle and largest of a set of windows. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/**
 * The value that a share of all values does not exceed, by the nearest-rank method: always one that was measured.
 *
 * @param sorted in ascending order
 * @param share from 0 to 1, e.g. 0.99
 * @returns NaN when nothing was measured
 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** Middle and tail of what was measured. */
export interface Percentiles {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

export function percentiles(valuesMs: readonly number[]): Percentiles {
  const sorted = Float64Array.from(valuesMs).sort();
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99), p999Ms: percentile(sorted, 0.999) };
}

/** The middle value, or the mean of the two middle ones; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  if (sorted.length % 2 === 1) return upper;
  return ((sorted[(sorted.length >> 1) - 1] ?? Number.NaN) + upper) / 2;
}

/** @throws Error of nothing: a figure without a window would read like a measured one */
export function spread(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error('no window was measured');
  return { min: Math.min(...values), median: median(values), max: Math.max(...values) };
}

/**
 * How large a figure is by a yardstick that took turns with it: the median over pairs of neighbouring windows, because
 * what slows the machine down for a while slows both. Undefined where there is no pair, or a yardstick of nothing.
 */
export function ratioOfPairs(pairs: readonly (readonly [own: number, yardstick: number])[]): number | undefined {
  const ratio = median(pairs.map(([own, yardstick]) => own / yardstick));
  return Number.isFinite(ratio) ? ratio : undefined;
}
