import { parseRecipient } from '#billing';
import type { Row } from './parse-rows.js';

/** What the columns of a file are taken for. */
export interface Columns {
  /** Whether the first row names the columns. */
  readonly hasHeader: boolean;
  /** One for each column: its name in the header, or its letter as in a spreadsheet. */
  readonly names: readonly string[];
}

export interface GuessedColumns {
  readonly hasHeader: boolean;
  readonly recipient: number | undefined;
  readonly text: number | undefined;
}

/** Rows that are looked at to guess. */
const LOOKED_AT = 100;
const RECIPIENT_NAME =
  /phone|mobile|cell|recipient|number|msisdn|^to$|telefon|handy|nummer|empf[aä]nger|t[eé]l[eé]phone|destinataire|n[uú]mero|tel[eé]fono/i;
const TEXT_NAME = /message|text|sms|body|content|nachricht|mensaje|texte/i;
/** A number that a spreadsheet has rounded and shows by its exponent; its last digits are lost. */
const ROUNDED = /^\d(?:[.,]\d+)?E\+\d+$/i;

/** Whether a spreadsheet has rounded the number, as `4.41E+11`. */
export function isRoundedNumber(cell: string): boolean {
  return ROUNDED.test(cell.trim());
}

/** Guesses by the names in the first row, then by what the columns have in them. */
export function guessColumns(rows: readonly Row[], width: number): GuessedColumns {
  const [first, ...rest] = rows.slice(0, LOOKED_AT);
  if (first === undefined) return { hasHeader: false, recipient: undefined, text: undefined };
  const hasHeader = !first.cells.some(isNumberLike) && first.cells.some((cell) => /\p{L}/u.test(cell));
  const sample = hasHeader ? rest : [first, ...rest];
  const columns = Array.from({ length: width }, (_, index) => ({
    index,
    name: hasHeader ? (first.cells[index] ?? '').trim() : '',
    numbers: sample.filter(({ cells }) => isNumberLike(cells[index] ?? '')).length,
    characters: sample.reduce((sum, { cells }) => sum + (cells[index] ?? '').length, 0),
  }));
  const mostNumbers = columns.toSorted((a, b) => b.numbers - a.numbers)[0];
  const byContent = mostNumbers !== undefined && mostNumbers.numbers > sample.length / 2 ? mostNumbers : undefined;
  const named = columns.filter(({ name }) => RECIPIENT_NAME.test(name)).toSorted((a, b) => b.numbers - a.numbers)[0];
  const recipient = named !== undefined && named.numbers > 0 ? named : (byContent ?? named);
  const others = columns.filter((column) => column !== recipient);
  const text =
    others.find(({ name }) => TEXT_NAME.test(name)) ??
    (hasHeader ? undefined : others.filter(isText).toSorted((a, b) => b.characters - a.characters)[0]);
  return { hasHeader, recipient: recipient?.index, text: text?.index };

  function isText({ numbers, characters }: { numbers: number; characters: number }): boolean {
    return numbers < sample.length / 2 && characters > 0;
  }
}

/** The names of the columns. A name that is missing or comes twice is the letter of the column. */
export function columnNames(header: Row | undefined, width: number): string[] {
  const seen = new Set<string>();
  return Array.from({ length: width }, (_, index) => {
    const name = header?.cells[index]?.trim().replaceAll(/[{}]/g, '') ?? '';
    const key = name.toLowerCase();
    if (name === '' || seen.has(key)) return columnLetter(index);
    seen.add(key);
    return name;
  });
}

/** A, B ... Z, AA, AB: as a spreadsheet names its columns. */
export function columnLetter(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnLetter(Math.floor(index / 26) - 1) + letter;
}

function isNumberLike(cell: string): boolean {
  return parseRecipient(cell.trim()) !== undefined || isRoundedNumber(cell);
}
