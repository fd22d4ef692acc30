/**
 * PostgreSQL's text form of an array (documentation, section 8.15.2) of what never needs quotes in it: numbers,
 * booleans, UUIDs, strings of digits and words of ours. The driver would look for what to quote in each element.
 */
export function plainArray(values: readonly (string | number | bigint | boolean)[]): string {
  return `{${values.join(',')}}`;
}

/** An array of each of these properties. */
export function plainArrays<Row, Name extends keyof Row>(
  rows: readonly (Row & Record<Name, Parameters<typeof plainArray>[0][number]>)[],
  ...names: readonly Name[]
): string[] {
  return names.map((name) => plainArray(rows.map((row) => row[name])));
}
