import { OperatorError } from '#persistence';

/** A record may have so many characters; a file that is no CSV would be one record. */
const RECORD_CHARACTERS_MAX = 65_536;

export interface CsvRecord {
  /** Its first line in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

interface ReadRecord {
  /** Of its line break. */
  readonly end: number;
  readonly cells: readonly string[];
}

/**
 * The records of a CSV (RFC 4180) with any delimiter, one after the other, without the file in memory. Empty lines are
 * skipped; lines end with CR LF or LF. A quote inside a cell that does not begin with one is a character like others.
 *
 * @throws OperatorError naming the line where a quote is never closed, or a record is too long
 */
export async function* readCsv(parts: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRecord> {
  let rest = '';
  let line = 1;
  function* records(): Generator<CsvRecord> {
    let begin = 0;
    for (;;) {
      const record = recordAt(rest, begin, delimiter);
      if (record === undefined) break;
      const text = rest.slice(begin, record.end);
      if (text !== '' && text !== '\r') yield { line, cells: record.cells };
      line += text.split('\n').length;
      begin = record.end + 1;
    }
    rest = rest.slice(begin);
  }
  for await (const part of parts) {
    rest += part;
    yield* records();
    if (rest.length > RECORD_CHARACTERS_MAX)
      throw new OperatorError(`line ${line} is too long, or its quote is never closed`);
  }
  rest += '\n';
  yield* records();
  if (rest !== '') throw new OperatorError(`line ${line} has a quote that is never closed`);
}

/** The record that begins here; undefined: its end is not in this text. */
function recordAt(text: string, begin: number, delimiter: string): ReadRecord | undefined {
  const end = text.indexOf('\n', begin);
  const quote = text.indexOf('"', begin);
  if (end === -1) return undefined;
  if (quote === -1 || quote > end) {
    const cells = text.slice(begin, end).split(delimiter);
    return { end, cells: cells.map((cell) => cell.trim()) };
  }
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let mayOpen = true;
  for (let at = begin; at < text.length; at += 1) {
    const character = text[at] as string;
    if (isQuoted && character === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"' && (isQuoted || (mayOpen && cell.trim() === ''))) {
      isQuoted = !isQuoted;
      mayOpen = false;
    } else if (isQuoted || (character !== delimiter && character !== '\n')) cell += character;
    else {
      cells.push(cell.trim());
      if (character === '\n') return { end: at, cells };
      cell = '';
      mayOpen = true;
    }
  }
  return undefined;
}
