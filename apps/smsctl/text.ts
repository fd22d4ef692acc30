import Table from 'cli-table3';

export type Cell = string | number | null | undefined;

const BORDERLESS = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid']
    .concat(['mid', 'mid-mid', 'right', 'right-mid', 'middle'])
    .map((part) => [part, '']),
);

/** A table for people: a head, no borders, columns two spaces apart. `>` before a head aligns its column right. */
export function table(heads: readonly string[], rows: readonly (readonly Cell[])[], whenEmpty: string): string {
  if (rows.length === 0) return whenEmpty;
  const grid = new Table({
    head: heads.map((head) => head.replace(/^>/, '').toUpperCase()),
    colAligns: heads.map((head) => (head.startsWith('>') ? 'right' : 'left')),
    chars: BORDERLESS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2, compact: true },
  });
  for (const row of rows) grid.push(row.map(cellText));
  return withoutTrailingSpace(grid.toString());
}

/** Names and values, one a line. */
export function facts(pairs: readonly (readonly [string, Cell])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`.trimEnd()).join('\n');
}

/** A moment, ISO 8601 in UTC, to the millisecond, for events that follow each other quickly. */
export function preciseMoment(at: string | null | undefined): string {
  return at ? at.replace('T', ' ') : '';
}

/** A moment, ISO 8601 in UTC, to the second. */
export function moment(at: string | null | undefined): string {
  return at ? `${at.slice(0, 19).replace('T', ' ')}Z` : '';
}

function cellText(value: Cell): string {
  return value === undefined || value === null ? '-' : printable(String(value)) || '-';
}

/** Values may come from outside, so control characters that could steer the terminal are replaced. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

function withoutTrailingSpace(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
