import type { MemorySample, MemoryTrend } from './memory.js';
import { median } from './statistics.js';

const BYTES_PER_MB = 2 ** 20;

/**
 * The trend of each process over samples.
 *
 * @param along what the slope is taken against, one value for each sample, in units of `per`
 */
export function memoryTrends(
  scenario: string,
  samples: readonly MemorySample[],
  along: readonly number[],
  per: string,
): MemoryTrend[] {
  const names = new Set(samples.flatMap(({ bytes }) => [...bytes.keys()]));
  return [...names].map((process) => {
    const points = samples.flatMap(({ bytes }, index) => {
      const held = bytes.get(process);
      return held === undefined ? [] : [{ x: along[index] ?? 0, y: held / BYTES_PER_MB }];
    });
    const tenth = Math.max(1, Math.floor(points.length / 10));
    const held = points.map(({ y }) => y);
    return {
      scenario,
      process,
      samples: points.length,
      startMb: median(held.slice(0, tenth)),
      endMb: median(held.slice(-tenth)),
      maxMb: Math.max(...held),
      slopeMb: slope(points),
      per,
    };
  });
}

/** Of the line through the points by least squares; 0 where they do not tell. */
export function slope(points: readonly { readonly x: number; readonly y: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return spread > 0 ? points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread : 0;
}
