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
  /** What else was seen, by name. */
  readonly notes?: Readonly<Record<string, number>>;
}

/** What a figure is about. */
export interface About {
  readonly id: string;
  readonly title: string;
  /** Unset: messages. */
  readonly unit?: 'requests' | 'messages' | 'events';
  /** The id of the figure that this one is set against: the echo's, or another gateway's. */
  readonly yardstick?: string | undefined;
  /** Another one to be set against, beside the first. */
  readonly secondYardstick?: string;
  /** Of another gateway: what it answers is reported and is no fault of the run. */
  readonly isForeign?: boolean;
  /** What the ratio to the yardstick should not be below. */
  readonly floor?: number | undefined;
  /** What its rate should not be below, and its p99 not above. */
  readonly perSecondMin?: number;
  readonly p99MaxMs?: number;
}

/** What a row of the table is made of. */
export interface Figure extends About {
  readonly windows: readonly Window[];
  /** Windows before these, whose times do not count; what went wrong in them does. */
  readonly discarded?: readonly Window[];
}

/** A figure as it is published: sums and medians beside all of its windows. */
export interface PublishedFigure extends Figure {
  readonly unit: NonNullable<About['unit']>;
  readonly perSecond: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly p999Ms: Spread;
  readonly ratioToYardstick: number | undefined;
  readonly ratioToSecondYardstick: number | undefined;
  readonly unexpected: Readonly<Record<string, number>>;
  /** Windows that are not in these medians, because the machine's host took too much of it meanwhile. */
  readonly windowsLeftOut: number;
  /** Medians over the windows. */
  readonly cores: Readonly<Record<string, number>>;
  readonly notes: Readonly<Record<string, number>>;
}

/** Execution times of the server for one kind of page, in milliseconds. */
export interface PageTimes {
  readonly database: string;
  readonly list: 'messages' | 'deposits';
  /** `any page`: of a message that was drawn at random, so of large accounts more often than of small ones. */
  readonly page: string;
  readonly samples: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Blocks of the database that 99 of 100 pages touch at most: a count that a busy machine does not change. */
  readonly p99Blocks: number;
  /** What `p99Ms` should not be above. */
  readonly p99MaxMs: number;
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
  return figures.map((figure): PublishedFigure => {
    const undisturbed = figure.windows.filter((window) => isUndisturbed(window, stolenMax));
    const counted = undisturbed.length > 0 ? undisturbed : figure.windows;
    const ratioTo = (id = '') => ratioOf(figure, byId.get(id), stolenMax);
    return {
      unit: 'messages',
      ...figure,
      perSecond: spread(counted.map((window) => window.perSecond)),
      p50Ms: spread(counted.map((window) => window.p50Ms)),
      p99Ms: spread(counted.map((window) => window.p99Ms)),
      p999Ms: spread(counted.map((window) => window.p999Ms)),
      ratioToYardstick: ratioTo(figure.yardstick),
      ratioToSecondYardstick: ratioTo(figure.secondYardstick),
      unexpected: sumCounts([...(figure.discarded ?? []), ...figure.windows].map(({ unexpected }) => unexpected)),
      windowsLeftOut: figure.windows.length - counted.length,
      cores: mediansByName(counted.map((window) => window.cores)),
      notes: mediansByName(counted.map(({ notes = {} }) => notes)),
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
