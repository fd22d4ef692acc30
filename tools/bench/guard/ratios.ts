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
