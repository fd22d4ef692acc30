import { conductReceipts } from '../receipts/conduct-receipts.js';
import type { Scenario } from '../scenario.js';

/** An order gives up waiting after the first, and its late receipt comes after the second. */
const DEADLINE_SECONDS = '60';
const LATE_MS = '75000';
const WINDOW = 200;

/** One scenario for each way in which carriers write the ids of receipts. */
function receiptsBy(
  format: NonNullable<Scenario['messageIdFormat']>,
  name: string,
  messageId: string,
  receiptId: string,
): Scenario {
  return {
    name,
    says: `receipts early, late, double, contradictory, garbage, foreign, never; ids of the format ${format}`,
    recovery: 'none, nothing is killed',
    rounds: 1,
    pauseMs: [0, 0],
    carrierWindow: WINDOW,
    messageIdFormat: format,
    settings: { RECEIPT_DEADLINE_SECONDS: DEADLINE_SECONDS },
    simulatorFlags: [
      '--receipt-mix',
      ...['--late-receipt-ms', LATE_MS],
      ...['--message-id', messageId],
      ...['--receipt-id', receiptId],
    ],
    conduct: conductReceipts,
    strike: () => Promise.reject(new Error('receipts have a course of their own')),
  };
}

export const receipts = receiptsBy('as-is', 'receipts', 'hex', 'same');
export const receiptsHexDec = receiptsBy('hex-dec', 'receipts-hex-dec', 'hex', 'decimal');
export const receiptsDecHex = receiptsBy('dec-hex', 'receipts-dec-hex', 'decimal', 'hex');
