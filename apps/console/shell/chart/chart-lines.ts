export interface ChartSeries {
  readonly name: string;
  /** A colour of the theme, e.g. `beam-6`. */
  readonly color: string;
  /** One for each moment. */
  readonly values: readonly number[];
}

export interface ChartLines {
  /** Heads the column of the moments, e.g. "Day". */
  readonly momentName: string;
  /** In milliseconds since 1970, growing. */
  readonly moments: readonly number[];
  readonly series: readonly ChartSeries[];
  /** Bars on top of each other in the order of the series, or lines. */
  readonly kind: 'bars' | 'lines';
}

/** 1, 2, 5, 10, ...: the steps of an axis of counts. */
const WHOLE_STEPS = Array.from({ length: 12 }, (_, zeros) => [1, 2, 5].map((step) => step * 10 ** zeros)).flat();

/** What an axis of values may step by, where it must not be what divides best: there is no third of a message. */
export function axisSteps({ series }: ChartLines): number[] | undefined {
  return series.every(({ values }) => values.every(Number.isInteger)) ? WHOLE_STEPS : undefined;
}
