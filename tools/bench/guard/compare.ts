import type { GuardedRatio, GuardedRatios } from './ratios.js';

/** A ratio may fall to this share of the baseline's: by a third, and no further. */
const KEPT_AT_LEAST = 2 / 3;
/**
 * Of what a second of processor time does, where others have the machine: they have its caches too, and cut the work
 * into slices.
 */
const KEPT_AT_LEAST_IF_SHARED = 1 / 2;

export interface Comparison {
  /** What was compared, e.g. `single-alone of echo-single, rate`. */
  readonly name: string;
  readonly baseline: number;
  /** Undefined: it was not measured. */
  readonly measured: number | undefined;
  /** `unjudged`: below the baseline, but others had the machine, and a rate says nothing then. */
  readonly verdict: 'kept' | 'fallen' | 'unjudged';
}

const KINDS = [
  ['rate', 'rate'],
  ['perProcessorSecond', 'per processor second'],
] as const;

/**
 * Sets every ratio of the baseline against what was measured. Of several runs the best counts: a machine has bad moments, and code
 * that has become slower has no good ones.
 *
 * @param isMachineShared whether others kept a good part of it busy: then waiting for the machine looks like waiting in the code, and only
 *   processor time is judged, and less sharply
 */
export function compareWithBaseline(
  baseline: GuardedRatios,
  runs: readonly GuardedRatios[],
  isMachineShared: boolean,
): Comparison[] {
  const keptAtLeast = isMachineShared ? KEPT_AT_LEAST_IF_SHARED : KEPT_AT_LEAST;
  return Object.entries(baseline).flatMap(([pair, expected]) =>
    KINDS.map(([kind, name]): Comparison => {
      const measured = bestOf(runs, pair, kind);
      const isKept = measured !== undefined && measured >= expected[kind] * keptAtLeast;
      const isExcused = isMachineShared && kind === 'rate' && measured !== undefined;
      const verdict = isKept ? 'kept' : isExcused ? 'unjudged' : 'fallen';
      return { name: `${pair}, ${name}`, baseline: expected[kind], measured, verdict };
    }),
  );
}

function bestOf(runs: readonly GuardedRatios[], pair: string, kind: keyof GuardedRatio): number | undefined {
  const values = runs.flatMap((run) => run[pair]?.[kind] ?? []).filter((value) => Number.isFinite(value));
  return values.length === 0 ? undefined : Math.max(...values);
}

export function hasFallen(comparisons: readonly Comparison[]): boolean {
  return comparisons.some(({ verdict }) => verdict === 'fallen');
}

export function comparisonText({ name, baseline, measured, verdict }: Comparison): string {
  const share = measured === undefined ? 'not measured' : `${measured.toFixed(3)}, ${percent(measured / baseline)}`;
  const note = verdict === 'unjudged' ? ' (not judged: others had the machine)' : '';
  return `${verdict === 'fallen' ? 'FAIL' : 'ok  '} ${name}: ${share} of the baseline's ${baseline.toFixed(3)}${note}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
