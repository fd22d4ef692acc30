import type { RowFault } from './check-rows.js';
import { b } from './words.js';

/** What is wrong with a row; of a code that is new to this page, what the service says. */
export function faultName(fault: RowFault | undefined): string {
  return fault === undefined ? '' : (b.kinds[fault.kind] ?? fault.detail ?? fault.kind);
}

/** The fault as the reason in the result. */
export function notSentFor(fault: RowFault): { row: number; recipient: string; reason: string } {
  return { row: fault.row, recipient: fault.recipient, reason: faultName(fault) };
}
