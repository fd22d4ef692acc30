import { formatMicros } from '#billing';

/** What a cell needs quotes for (RFC 4180 section 2). */
const QUOTED = /[",\r\n]/;
/** How a text begins that a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;

export function csvHeader(columns: readonly string[]): string {
  return `${columns.join(',')}\r\n`;
}

/**
 * A line of CSV. Amounts are written exactly, times in ISO 8601, null as nothing.
 *
 * @param free the columns that clients and operators write themselves: a text that a spreadsheet would compute gets an
 * apostrophe before it
 */
export function csvLine(row: object, columns: readonly string[], free: ReadonlySet<string>): string {
  let line = '';
  for (const [index, column] of columns.entries()) {
    const value: unknown = (row as Record<string, unknown>)[column];
    line += (index === 0 ? '' : ',') + cell(value, free.has(column));
  }
  return `${line}\r\n`;
}

function cell(value: unknown, isFree: boolean): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'bigint') return formatMicros(value);
  if (value instanceof Date) return value.toISOString();
  const text = isFree && FORMULA.test(String(value)) ? `'${value}` : String(value);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
