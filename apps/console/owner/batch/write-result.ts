import { formatMicros } from '#billing';
import type { SentRow } from './batch-sending.js';
import { PageSlices } from './slices.js';

/** What a cell needs quotes for (RFC 4180 section 2), whatever the delimiter. */
const QUOTED = /[",;|\t\r\n]/;
/** How a text begins that a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const BYTE_ORDER_MARK = '\ufeff';
const COLUMNS = ['row', 'recipient', 'result', 'message_id', 'amount', 'currency', 'reason'];

export interface SendResult {
  readonly sent: readonly SentRow[];
  /** Rows that were accepted, whose ids are not known, and why. */
  readonly earlier?: readonly ExplainedRow[];
  /** Rows that may have been accepted, and why nobody knows. */
  readonly unknown?: readonly ExplainedRow[];
  /** Rows that were not sent, and why. */
  readonly notSent: readonly ExplainedRow[];
  readonly currency: string;
  readonly delimiter: string;
}

export interface ExplainedRow {
  readonly row: number;
  readonly recipient: string;
  readonly reason: string;
}

/** The result of a send as CSV, one line for each row of the file, in pieces. */
export async function writeResult(result: SendResult): Promise<string[]> {
  const { sent, earlier = [], unknown = [], notSent, currency, delimiter } = result;
  const slices = new PageSlices();
  const lines: { row: number; cells: string[] }[] = [];
  for (const { message, messageId, amount } of sent) {
    const cells = [message.recipient, 'accepted', messageId, formatMicros(amount), currency, ''];
    lines.push({ row: message.row, cells });
  }
  for (const { row, recipient, reason } of earlier) {
    lines.push({ row, cells: [recipient, 'accepted', '', '', '', reason] });
  }
  for (const [rows, what] of [
    [unknown, 'unknown'],
    [notSent, 'not sent'],
  ] as const) {
    for (const { row, recipient, reason } of rows) lines.push({ row, cells: [recipient, what, '', '', '', reason] });
  }
  lines.sort((a, b) => a.row - b.row);
  const pieces = [`${BYTE_ORDER_MARK}${COLUMNS.join(delimiter)}\r\n`];
  for (const { row, cells } of lines) {
    pieces.push(`${[String(row), ...cells].map(csvCell).join(delimiter)}\r\n`);
    if (slices.isOver) await slices.pause();
  }
  return pieces;
}

/** A cell that a spreadsheet shows and does not compute: a text that begins like a formula gets an apostrophe. */
export function csvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
