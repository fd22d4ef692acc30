import { faultRefusal } from '../../shell/api/refusal.js';
import type { RowFault } from './check-rows.js';
import { b } from './words.js';

/** What is wrong with a row; of a code that is new to the console, what the service says. */
export function faultName(fault: RowFault | undefined): string {
  if (fault === undefined) return '';
  const { kind, detail = kind } = fault;
  return b.kinds[kind] ?? faultRefusal({ code: kind, detail }).text;
}

/** The fault as the reason in the result. */
export function notSentFor(fault: RowFault): { row: number; recipient: string; reason: string } {
  return { row: fault.row, recipient: fault.recipient, reason: faultName(fault) };
}
