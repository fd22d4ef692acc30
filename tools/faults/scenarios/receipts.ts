import { awaitFact } from '../../harness/await-fact.js';
import type { Field } from '../field.js';
import type { Scenario } from '../scenario.js';
import { settleOrders } from '../settle.js';

/** An order gives up waiting after the first, and its late receipt comes after the second. */
const DEADLINE_SECONDS = '60';
const LATE_MS = '75000';
const SENT_TIMEOUT_MS = 6 * 60 * 60_000;
/** The latest receipt is late by this much more than an order waits for one. */
const RECEIPTS_TIMEOUT_MS = 15 * 60_000;

/** One scenario for each way in which carriers write the ids of receipts. */
export const RECEIPT_SCENARIOS: readonly Scenario[] = [
  { name: 'receipts', messageIdFormat: 'as-is', messageId: 'hex', receiptId: 'same' },
  { name: 'receipts-hex-dec', messageIdFormat: 'hex-dec', messageId: 'hex', receiptId: 'decimal' },
  { name: 'receipts-dec-hex', messageIdFormat: 'dec-hex', messageId: 'decimal', receiptId: 'hex' },
].map(({ name, messageIdFormat, messageId, receiptId }) => ({
  name,
  says: `receipts early, late, double, contradictory, garbage, foreign, never; ids of the format ${messageIdFormat}`,
  recovery: 'none, nothing is killed',
  rounds: 1,
  pauseMs: [0, 0],
  sendsPerSecond: 500,
  carrierWindow: 200,
  messageIdFormat,
  hasReceiptMix: true,
  settings: { RECEIPT_DEADLINE_SECONDS: DEADLINE_SECONDS },
  simulatorFlags: [
    '--receipt-mix',
    ...['--late-receipt-ms', LATE_MS],
    ...['--message-id', messageId],
    ...['--receipt-id', receiptId],
  ],
  async strike({ facts, signal, receipts }) {
    const what = `${receipts} messages are accepted`;
    await awaitFact(what, SENT_TIMEOUT_MS, signal, async () => (await facts.acceptedOf()) >= receipts);
  },
  conclude: awaitLateReceipts,
}));

/** Until the carrier has no receipt left, the late ones included. */
async function awaitLateReceipts(field: Field): Promise<void> {
  const { system, facts, signal } = field;
  const { counters } = await awaitFact('all receipts are acknowledged', RECEIPTS_TIMEOUT_MS, signal, async () => {
    const state = await system.simulator.state();
    return state.pendingReceipts === 0 && state;
  });
  await settleOrders(facts, signal);
  const { taken, receiptsSent, receiptsAcknowledged, receiptsDropped } = counters;
  if (receiptsDropped > 0) field.complain(`the carrier gave up ${receiptsDropped} receipts without an acknowledgement`);
  field.measures.push(`${taken} segments, ${receiptsSent} receipts sent, ${receiptsAcknowledged} acknowledged`);
}
