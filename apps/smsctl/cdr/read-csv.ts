import { OperatorError } from '#persistence';

/** A record may have so many characters; a file that is no CSV would be one record. */
const RECORD_CHARACTERS_MAX = 65_536;

/** A record of a CSV file. */
export interface CsvRecord {
  /** Its first line in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * The records of a CSV (RFC 4180) with any delimiter, one after the other, without the file in memory. Empty lines are
 * skipped; lines end with CR LF or LF.
 *
 * @throws OperatorError naming the line where a quote is never closed, or a record is too long
 */
export async function* readCsv(parts: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRecord> {
  let rest = '';
  let line = 1;
  for await (const part of parts) {
    rest += part;
    let begin = 0;
    for (;;) {
      const end = endOf(rest, begin);
      if (end === -1) break;
      const record = rest.slice(begin, rest[end - 1] === '\r' && end > begin ? end - 1 : end);
      if (record !== '') yield { line, cells: cellsOf(record, delimiter) };
      line += 1 + countBreaks(record);
      begin = end + 1;
    }
    rest = rest.slice(begin);
    if (rest.length > RECORD_CHARACTERS_MAX)
      throw new OperatorError(`line ${line} is too long, or its quote is never closed`);
  }
  const last = rest.replace(/\r$/, '');
  if (last !== '') yield { line, cells: cellsOf(last, delimiter) };
}

/** Where the record that begins here ends: the next line break outside of quotes; -1: not in this text. */
function endOf(text: string, begin: number): number {
  const end = text.indexOf('\n', begin);
  const quote = text.indexOf('"', begin);
  if (quote === -1 || end === -1 || quote > end) return end;
  let isQuoted = false;
  for (let at = begin; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\n' && !isQuoted) return at;
  }
  return -1;
}

function cellsOf(record: string, delimiter: string): string[] {
  if (!record.includes('"')) return record.split(delimiter).map((cell) => cell.trim());
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < record.length; at += 1) {
    const character = record[at] as string;
    if (isQuoted && character === '"' && record[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += character;
  }
  return [...cells, cell.trim()];
}

function countBreaks(record: string): number {
  return record.includes('\n') ? record.split('\n').length - 1 : 0;
}
