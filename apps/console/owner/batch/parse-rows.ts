import Papa from 'papaparse';
import { type FileFault, ROWS_MAX } from './file-fault.js';
import { PageSlices } from './slices.js';

const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** A row of the file that is not empty. */
export interface Row {
  /** As a spreadsheet numbers it, from 1: a line break within quotes begins no row. */
  readonly number: number;
  readonly cells: readonly string[];
}

export interface ParsedFile {
  readonly rows: readonly Row[];
  readonly delimiter: Delimiter;
  /** Cells of the longest row. */
  readonly width: number;
}

/** How much of the text is looked at to find the delimiter. */
const SAMPLE_CHARACTERS = 100_000;
const SAMPLE_ROWS = 50;
/** Characters that are parsed at once; it takes a few milliseconds. */
const CHUNK_CHARACTERS = 128 * 1024;
/** A row that is longer has a quotation mark that is never closed. */
const ROW_CHARACTERS_MAX = 1024 * 1024;
/** Excel's own hint, a first line that it does not show. */
const DELIMITER_HINT = /^sep=([,;\t|])\r?\n/i;

/**
 * Reads the rows of a CSV in slices, so that the page answers meanwhile.
 *
 * @param progress told the share that is read, 0 to 1
 * @throws the reason of `signal` when that aborts
 */
export async function parseRows(
  whole: string,
  { progress, signal }: { readonly progress?: (share: number) => void; readonly signal?: AbortSignal } = {},
): Promise<ParsedFile | FileFault> {
  const hint = DELIMITER_HINT.exec(whole);
  const text = hint === null ? whole : whole.slice(hint[0].length);
  const delimiter = (hint?.[1] as Delimiter | undefined) ?? guessDelimiter(text);
  const parser = new Papa.Parser({ delimiter, newline: '\n' });
  const slices = new PageSlices(signal);
  const rows: Row[] = [];
  let number = 0;
  let width = 0;
  let end = 0;
  let pending = '';
  while (end < text.length) {
    const start = end;
    end = endOfChunk(text, start);
    pending += text.slice(start, end).replaceAll(/\r\n?/g, '\n');
    const isLast = end === text.length;
    const { data, errors, meta } = parser.parse(pending, 0, !isLast) as Papa.ParseResult<string[]>;
    for (const cells of data) {
      number += 1;
      if (cells.every((cell) => cell.trim() === '')) continue;
      rows.push({ number, cells });
      width = Math.max(width, cells.length);
    }
    pending = pending.slice(meta.cursor);
    if (errors.some(({ code }) => code === 'MissingQuotes')) return { kind: 'open_quote', row: number };
    if (pending.length > ROW_CHARACTERS_MAX) return { kind: 'open_quote', row: number + 1 };
    if (rows.length > ROWS_MAX) return { kind: 'too_many_rows' };
    progress?.(end / text.length);
    if (slices.isOver) await slices.pause();
  }
  return rows.length === 0 ? { kind: 'no_rows' } : { rows, delimiter, width };
}

/** A carriage return and its line feed stay together. */
function endOfChunk(text: string, start: number): number {
  const end = start + CHUNK_CHARACTERS;
  if (end >= text.length) return text.length;
  return text[end - 1] === '\r' ? end + 1 : end;
}

/** The delimiter that gives most rows the same number of cells, above one; a comma if none does. */
function guessDelimiter(text: string): Delimiter {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  let best: Delimiter = ',';
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    const { data } = Papa.parse<string[]>(sample, {
      delimiter,
      preview: SAMPLE_ROWS,
      skipEmptyLines: 'greedy',
    });
    const counts = new Map<number, number>();
    for (const { length } of data) counts.set(length, (counts.get(length) ?? 0) + 1);
    const [cells = 1, rows = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
    const score = cells > 1 ? rows / data.length : 0;
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}
