import { median, type Percentiles, ratioOfPairs, type Spread, spread } from '../harness/statistics.js';

/** One window of load, as it was measured. */
export interface Window extends Percentiles {
  /** Of the figure's unit, per second. */
  readonly perSecond: number;
  /** Responses other than the expected one, by status or error code. Empty in a sound run. */
  readonly unexpected: Readonly<Record<string, number>>;
  /** Cores that each process kept busy on average, warm-up included. Empty where the system does not tell. */
  readonly cores: Readonly<Record<string, number>>;
  /** Messages accepted and not yet at their end, where the window is about these. */
  readonly backlog?: { readonly start: number; readonly end: number };
}

/** What a row of the table is made of. */
export interface Figure {
  readonly id: string;
  readonly title: string;
  readonly unit: 'requests' | 'messages' | 'events';
  readonly windows: readonly Window[];
  /** The id of the figure that this one is set against: the echo's, or another gateway's. */
  readonly yardstick?: string;
  /** Another one to be set against, beside the first. */
  readonly secondYardstick?: string;
  /** Of another gateway: what it answers is reported and is no fault of the run. */
  readonly isForeign?: boolean;
  /** What the ratio to the yardstick should not be below. */
  readonly floor?: number;
  /** What its rate should not be below, and its p99 not above. */
  readonly perSecondMin?: number;
  readonly p99MaxMs?: number;
  /** What else was seen, by name, one value for each window. */
  readonly notes?: Readonly<Record<string, readonly number[]>>;
}

/** A figure as it is published. */
export interface PublishedFigure {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly perSecond: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly p999Ms: Spread;
  readonly yardstick: string | undefined;
  readonly ratioToYardstick: number | undefined;
  readonly floor: number | undefined;
  readonly perSecondMin: number | undefined;
  readonly p99MaxMs: number | undefined;
  readonly secondYardstick: string | undefined;
  readonly ratioToSecondYardstick: number | undefined;
  readonly isForeign: boolean;
  readonly unexpected: Readonly<Record<string, number>>;
  /** Windows that are not in these medians, because the machine's host took too much of it meanwhile. */
  readonly windowsLeftOut: number;
  /** Medians over the windows. */
  readonly cores: Readonly<Record<string, number>>;
  readonly notes: Readonly<Record<string, number>>;
  /** All of them. */
  readonly windows: readonly Window[];
}

/** Something that has to be so, or the figures are worth nothing. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * Sums the windows up and sets each figure against its yardstick.
 *
 * @param stolenMax cores; a window in which the machine's host took more is left out of medians, unless none would
 *   remain
 */
export function publish(figures: readonly Figure[], stolenMax = Number.POSITIVE_INFINITY): PublishedFigure[] {
  const byId = new Map(figures.map((figure) => [figure.id, figure]));
  const ratioTo = (figure: Figure, id: string | undefined) =>
    id === undefined ? undefined : ratioOf(figure, byId.get(id), stolenMax);
  return figures.map((whole) => {
    const figure = withoutDisturbed(whole, stolenMax);
    return {
      id: figure.id,
      title: figure.title,
      unit: figure.unit,
      perSecond: spread(figure.windows.map((window) => window.perSecond)),
      p50Ms: spread(figure.windows.map((window) => window.p50Ms)),
      p99Ms: spread(figure.windows.map((window) => window.p99Ms)),
      p999Ms: spread(figure.windows.map((window) => window.p999Ms)),
      yardstick: figure.yardstick,
      ratioToYardstick: ratioTo(whole, figure.yardstick),
      floor: figure.floor,
      perSecondMin: figure.perSecondMin,
      p99MaxMs: figure.p99MaxMs,
      secondYardstick: figure.secondYardstick,
      ratioToSecondYardstick: ratioTo(whole, figure.secondYardstick),
      isForeign: figure.isForeign ?? false,
      unexpected: sumCounts(whole.windows.map((window) => window.unexpected)),
      windowsLeftOut: whole.windows.length - figure.windows.length,
      cores: mediansByName(figure.windows.map((window) => window.cores)),
      notes: mapValues(figure.notes ?? {}, median),
      windows: whole.windows,
    };
  });
}

/** Of pairs in which both windows are undisturbed, or of all when there is none. */
function ratioOf(figure: Figure, yardstick: Figure | undefined, stolenMax: number): number | undefined {
  const pairs = pairsOf(figure.windows, yardstick?.windows ?? []);
  const undisturbed = pairs.filter((pair) => pair.every((window) => isUndisturbed(window, stolenMax)));
  const counted = undisturbed.length > 0 ? undisturbed : pairs;
  return ratioOfPairs(counted.map(([own, other]) => [own.perSecond, other.perSecond]));
}

/** Windows of two figures that took turns, each with the one beside it. */
export function pairsOf(own: readonly Window[], others: readonly Window[]): (readonly [Window, Window])[] {
  return own.flatMap((window, index) => {
    const other = others[index];
    return other === undefined ? [] : [[window, other] as const];
  });
}

function isUndisturbed({ cores }: Window, stolenMax: number): boolean {
  return (cores.stolen ?? 0) <= stolenMax;
}

function withoutDisturbed(figure: Figure, stolenMax: number): Figure {
  const isKept = figure.windows.map((window) => isUndisturbed(window, stolenMax));
  if (!isKept.includes(true)) return figure;
  const kept = <Item>(items: readonly Item[]) => items.filter((_, index) => isKept[index]);
  // A note that is no list over the windows is of the figure as a whole.
  const notes = mapValues(figure.notes ?? {}, (values) => (values.length === isKept.length ? kept(values) : values));
  return { ...figure, windows: kept(figure.windows), notes };
}

/** Adds up counts by name. */
export function sumCounts(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** A name that is missing in a window counts as nothing there. */
function mediansByName(windows: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(windows.flatMap((window) => Object.keys(window)));
  return Object.fromEntries([...names].map((name) => [name, median(windows.map((window) => window[name] ?? 0))]));
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
