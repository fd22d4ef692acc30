import { median } from '../../harness/statistics.js';
import { type PublishedFigure, pairsOf, type Window } from '../figures.js';

/** One figure of the service set against a yardstick that took turns with it. */
export interface GuardedRatio {
  /** Messages or requests a second, as a share of the yardstick's. */
  readonly rate: number;
  /** The same for a second of processor time, whoever else had the machine meanwhile. */
  readonly perProcessorSecond: number;
}

export type GuardedRatios = Readonly<Record<string, GuardedRatio>>;

/**
 * The processes that work for a figure. Idle ones cost next to nothing, and generator and simulator are not ours to
 * judge.
 */
const SERVICE = ['gateway', 'worker', 'postgres', 'redis'];
const ECHO = ['echo'];

/** Medians over pairs of neighbouring windows: what slows the machine down for a while slows both. */
export function guardedRatios(figures: readonly PublishedFigure[]): GuardedRatios {
  const byId = new Map(figures.map((figure) => [figure.id, figure]));
  const ratios: Record<string, GuardedRatio> = {};
  for (const figure of figures) {
    for (const id of [figure.yardstick, figure.secondYardstick]) {
      const yardstick = id === undefined ? undefined : byId.get(id);
      if (yardstick !== undefined) ratios[`${figure.id} of ${id}`] = ratioOf(figure, yardstick);
    }
  }
  return ratios;
}

function ratioOf(figure: PublishedFigure, yardstick: PublishedFigure): GuardedRatio {
  const pairs = pairsOf(figure.windows, yardstick.windows);
  const over = (value: (window: Window) => number) => median(pairs.map(([own, other]) => value(own) / value(other)));
  return { rate: over(({ perSecond }) => perSecond), perProcessorSecond: over(perProcessorSecond) };
}

function perProcessorSecond({ perSecond, cores }: Window): number {
  const isEcho = (cores.echo ?? 0) > (cores.gateway ?? 0) + (cores.postgres ?? 0);
  const busy = (isEcho ? ECHO : SERVICE).reduce((sum, name) => sum + (cores[name] ?? 0), 0);
  return perSecond / busy;
}

/** A ratio may fall to this share of the baseline's: by a third, and no further. */
const KEPT_AT_LEAST = 2 / 3;
/**
 * Of what a second of processor time does, where others have the machine: they have its caches too, and cut the work
 * into slices.
 */
const KEPT_AT_LEAST_IF_SHARED = 1 / 2;

interface Comparison {
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
 * Sets every ratio of the baseline against what was measured. Of several runs the best counts: a machine has bad
 * moments, and code that has become slower has no good ones.
 *
 * @param isMachineShared whether others kept a good part of it busy: then waiting for the machine looks like waiting in
 *   the code, and only processor time is judged, and less sharply
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
  const share =
    measured === undefined ? 'not measured' : `${measured.toFixed(3)}, ${Math.round((measured / baseline) * 100)} %`;
  const note = verdict === 'unjudged' ? ' (not judged: others had the machine)' : '';
  return `${verdict === 'fallen' ? 'FAIL' : 'ok  '} ${name}: ${share} of the baseline's ${baseline.toFixed(3)}${note}`;
}
