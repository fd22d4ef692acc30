import { expect } from '@jest/globals';
import { type ReceiptToSettle, segmentReference } from '#persistence';
import { recordIntents } from '../support/dispatch-steps.js';
import { answer, receiptFor, type TestLedger } from '../support/test-ledger.js';

/** A message that is claimed, with all of its segments recorded as submitting. */
export async function submitting(
  ledger: TestLedger,
  segments = 1,
  changes: { destination?: string; message?: string } = {},
) {
  const account = await ledger.account(segments);
  const message = await ledger.queued(account, segments, changes);
  const order = await ledger.claimed(message.id);
  await recordIntents(
    ledger.database,
    order.openPositions.slice(1).map((position) => ({ id: order.id, position, epoch: 1, carrierId: ledger.carrierId })),
  );
  return { account, order };
}

export async function sent(ledger: TestLedger, segments = 1, changes: { destination?: string; message?: string } = {}) {
  const made = await submitting(ledger, segments, changes);
  await ledger.record(made.order.openPositions.map((position) => answer(made.order, position, 'accepted')));
  expect(await ledger.state(made.order.id)).toBe('sent');
  return made;
}

export const MATCHED = { matched: 1, unmatched: 0 };
export const UNMATCHED = { matched: 0, unmatched: 1 };

/** A receipt without the carrier's id, as far as the segment's own reference tells. */
export function byReference(
  order: { id: string; destination: string },
  position: number,
  state: 'delivered' | 'undelivered' = 'delivered',
  changes: Partial<ReceiptToSettle> = {},
): ReceiptToSettle {
  const reference = segmentReference(order.id, position);
  return receiptFor(order, position, state, {
    carrierMessageId: `unheard-of-${position}`,
    userMessageReference: reference,
    ...changes,
  });
}
