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
