import { buildTariff, isViolation, parseRecipient, quoteMessage, type RuleCode } from '#billing';
import { isRoundedNumber } from './columns.js';
import type { Row } from './parse-rows.js';
import { PageSlices } from './slices.js';
import { fillTemplate, type Template } from './template.js';

/** What the rows of a file are read as. */
export interface Mapping {
  /** Column of the recipient. */
  readonly recipient: number;
  readonly text: Template;
  /** Digits that stand for the 0 in front of a national number, e.g. `49`; empty: such numbers are at fault. */
  readonly countryCode: string;
}

/** What may be wrong with a row before it is priced. The order is that in which people are told. */
const ROW_FAULTS = [
  'recipient_missing',
  'recipient_rounded',
  'recipient_national',
  'recipient_invalid',
  'value_missing',
  'message_empty',
  'message_invalid_character',
  'message_too_long',
] as const satisfies readonly (RuleCode | `${string}_${'missing' | 'rounded' | 'national'}`)[];

export interface RowFault {
  readonly row: number;
  /** As it stands in the file. */
  readonly recipient: string;
  /** One of `ROW_FAULTS`, or the code of the service's answer to the price. */
  readonly kind: string;
  /** What stands in the cell at fault; of a missing value the columns. */
  readonly value: string;
  /** What the service's rule says. */
  readonly detail: string | undefined;
}

/** A row that can be sent, as far as the console knows. */
export interface RowMessage {
  readonly row: number;
  readonly recipient: string;
  /** Digits in E.164 form. */
  readonly destination: string;
  readonly message: string;
  readonly segments: number;
  readonly isExtended: boolean;
  /** The first row with the same number, if this is not it. */
  readonly repeats: RepeatedRow | undefined;
}

export interface RepeatedRow {
  readonly row: number;
  readonly hasSameText: boolean;
}

export interface CheckedRows {
  readonly messages: readonly RowMessage[];
  readonly faults: readonly RowFault[];
}

/** Prices are asked of the service; this only takes every number for one that has a price. */
const EVERY_DESTINATION = buildTariff(Array.from({ length: 9 }, (_, index) => ({ prefix: `${index + 1}`, price: 0n })));

/**
 * Checks every row with the rules of the service, in slices. The preview and the send use what it returns.
 *
 * @throws the reason of `signal` when that aborts
 */
export async function checkRows(
  rows: readonly Row[],
  mapping: Mapping,
  columns: readonly string[],
  signal?: AbortSignal,
): Promise<CheckedRows> {
  const messages: RowMessage[] = [];
  const faults: RowFault[] = [];
  const firsts = new Map<string, RowMessage>();
  const slices = new PageSlices(signal);
  for (const row of rows) {
    const checked = checkRow(row, mapping, columns);
    if ('kind' in checked) faults.push(checked);
    else {
      const first = firsts.get(checked.destination);
      if (first === undefined) {
        firsts.set(checked.destination, checked);
        messages.push(checked);
      } else {
        const repeats = { row: first.row, hasSameText: first.message === checked.message };
        messages.push({ ...checked, repeats });
      }
    }
    if (slices.isOver) await slices.pause();
  }
  return { messages, faults };
}

function checkRow({ number, cells }: Row, mapping: Mapping, columns: readonly string[]): RowMessage | RowFault {
  const cell = wholeNumber((cells[mapping.recipient] ?? '').trim());
  const fault = (kind: string, value: string, detail?: string): RowFault => ({
    row: number,
    recipient: cell,
    kind,
    value,
    detail,
  });
  if (cell === '') return fault('recipient_missing', '');
  if (isRoundedNumber(cell)) return fault('recipient_rounded', cell);
  const recipient = international(cell, mapping.countryCode);
  if (recipient === undefined) return fault('recipient_national', cell);
  const { text, missing } = fillTemplate(mapping.text, cells);
  const quote = quoteMessage({ recipient, message: text }, EVERY_DESTINATION);
  if (isViolation(quote) && quote.field === 'recipient') return fault(quote.code, cell, quote.detail);
  if (missing.length > 0) return fault('value_missing', missing.map((index) => columns[index] ?? '').join(', '));
  if (isViolation(quote)) return fault(quote.code, text, quote.detail);
  const { destination, segments, encoding } = quote;
  const isExtended = encoding === 'extended';
  return { row: number, recipient, destination, message: text, segments, isExtended, repeats: undefined };
}

/**
 * Without the `.0` that programs give a number in a column of decimals: it would be another digit of the number. And
 * without the apostrophe that it has in the result of a send, whose rows may be sent again.
 */
function wholeNumber(cell: string): string {
  const number = cell.replace(/^'(?=\+)/, '');
  return /^\d+\.0$/.test(number) ? number.slice(0, -2) : number;
}

/** The number as it is sent; undefined if it is a national one and there is no country code for it. */
function international(cell: string, countryCode: string): string | undefined {
  const digits = cell.replace(/[ .()/-]+/g, '');
  if (!/^0[1-9]\d+$/.test(digits)) return cell;
  if (countryCode === '') return undefined;
  const number = `+${countryCode}${digits.slice(1)}`;
  return parseRecipient(number) === undefined ? cell : number;
}

export interface FaultGroup {
  readonly kind: string;
  readonly faults: readonly RowFault[];
}

/** Faults by kind: those of recipients first, then those of texts, then what the service says of destinations. */
export function groupFaults(faults: readonly RowFault[]): FaultGroup[] {
  const groups = new Map<string, RowFault[]>(ROW_FAULTS.map((kind) => [kind, []]));
  for (const fault of faults) {
    const group = groups.get(fault.kind);
    if (group === undefined) groups.set(fault.kind, [fault]);
    else group.push(fault);
  }
  return [...groups].flatMap(([kind, found]) => (found.length === 0 ? [] : [{ kind, faults: found }]));
}
