import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { GuardedRatio, GuardedRatios } from './ratios.js';

/** Beside the sources, so that it is committed with the change that moves it. */
const FILE = fileURLToPath(new URL('../../../../tools/bench/baseline.json', import.meta.url));
const DIGITS = 1_000;

/** By queue back end. */
type Baseline = Readonly<Record<string, GuardedRatios>>;

/**
 * What the baseline is kept for: a newer processor may run the echo four times as fast and the service, with its
 * database, three times, which moves every ratio.
 *
 * @param model as the system gives it, e.g. `Intel(R) Xeon(R) Processor @ 2.50GHz`
 * @returns its maker, in the example `Intel`
 */
export function processorMaker(model = cpus()[0]?.model ?? ''): string {
  return /[a-z]+/i.exec(model)?.[0] ?? 'unknown';
}

/** By processor maker. */
export function readBaselines(): Readonly<Record<string, Baseline>> {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, Baseline>>;
}

/** Of processors that nobody has measured, the least of each ratio is expected that any other has. */
export function readBaseline(queue: string, maker = processorMaker()): GuardedRatios {
  const baselines = readBaselines();
  const own = baselines[maker]?.[queue];
  if (own !== undefined) return own;
  const least: Record<string, GuardedRatio> = {};
  for (const [pair, ratio] of Object.values(baselines).flatMap((baseline) => Object.entries(baseline[queue] ?? {}))) {
    const known = least[pair] ?? ratio;
    least[pair] = {
      rate: Math.min(known.rate, ratio.rate),
      perProcessorSecond: Math.min(known.perProcessorSecond, ratio.perProcessorSecond),
    };
  }
  return least;
}

/** Replaces the ratios of one queue back end on processors of this machine's maker. */
export function writeBaseline(queue: string, ratios: GuardedRatios): void {
  const baselines = readBaselines();
  const maker = processorMaker();
  const own = { ...baselines[maker], [queue]: ratios };
  const rounded = (_name: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value * DIGITS) / DIGITS : value;
  const text = JSON.stringify({ ...baselines, [maker]: own }, rounded, 2);
  // A ratio is one line, as the formatter wants it.
  writeFileSync(FILE, `${text.replace(/\{\s+("rate".*)\s+(".*)\s+\}/g, '{ $1 $2 }')}\n`);
}
