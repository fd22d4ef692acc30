import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { GuardedRatios } from './ratios.js';

/** Beside the sources, so that it is committed with the change that moves it. */
const FILE = fileURLToPath(new URL('../../../../scripts/bench/baseline.json', import.meta.url));
const DIGITS = 1_000;

/** By queue back end. */
export type Baseline = Readonly<Record<string, GuardedRatios>>;

export function readBaseline(): Baseline {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Baseline;
}

/** Replaces the ratios of one queue back end. */
export function writeBaseline(queue: string, ratios: GuardedRatios): void {
  const rounded = Object.fromEntries(
    Object.entries(ratios).map(([pair, { rate, perProcessorSecond }]) => [
      pair,
      { rate: round(rate), perProcessorSecond: round(perProcessorSecond) },
    ]),
  );
  writeFileSync(FILE, `${JSON.stringify({ ...readBaseline(), [queue]: rounded }, null, 2)}\n`);
}

function round(ratio: number): number {
  return Math.round(ratio * DIGITS) / DIGITS;
}
