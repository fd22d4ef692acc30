export type Labels = Readonly<Record<string, string>>;
export type Values = readonly (readonly [Labels, number])[];

/** Adds a gauge with these values to what is shown. */
export type ShowFigure = (name: string, help: string, labelNames: string[], values: Values) => void;

/** The value of a gauge without labels. */
export function single(value: number): Values {
  return [[{}, value]];
}
