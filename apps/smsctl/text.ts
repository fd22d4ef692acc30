export type Cell = string | number | null | undefined;

/** Ideographs and emoji take two columns of a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
/** Combining marks and the like take none. */
const NARROW = /[\p{M}\p{Cf}]/u;

/** A table for people: a head, no borders, columns two spaces apart. `>` before a head aligns its column right. */
export function table(heads: readonly string[], rows: readonly (readonly Cell[])[], whenEmpty: string): string {
  if (rows.length === 0) return whenEmpty;
  const lines = [heads.map((head) => head.replace(/^>/, '').toUpperCase()), ...rows.map((row) => row.map(cellText))];
  const widths = heads.map(() => 0);
  for (const line of lines)
    for (const [column, cell] of line.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  const padded = (cell: string, column: number): string => {
    const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
    return heads[column]?.startsWith('>') ? space + cell : cell + space;
  };
  return lines.map((line) => line.map(padded).join('  ').trimEnd()).join('\n');
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

function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) if (!NARROW.test(character)) width += WIDE.test(character) ? 2 : 1;
  return width;
}

/** What belongs to a test key is of the sandbox of its account. */
export function holderText({ accountId, test }: { readonly accountId: string; readonly test: boolean }): string {
  return test ? `${accountId} (test)` : accountId;
}
