/**
 * PostgreSQL's text form of an array (documentation, section 8.15.2) of what never needs quotes in it: numbers,
 * booleans, UUIDs, strings of digits and words of ours. The driver would look for what to quote in each element.
 */
export function plainArray(values: readonly (string | number | bigint | boolean)[]): string {
  return `{${values.join(',')}}`;
}
