import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { OrderState } from '#billing';
import { type ReceiptToSettle, rematchReceipts, type SubmitResult } from '#persistence';
import { FUZZ_TIMEOUT_MS, fuzz } from '../support/fuzz.js';
import { answer, carrierId, receiptFor, TestLedger } from '../support/test-ledger.js';
import { sent, submitting } from './submitted-orders.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

type Verdict = 'delivered' | 'undelivered';

/**
 * What an order comes to by its receipts, in whatever order they came: a segment that was ever delivered is. Only where
 * a carrier contradicts itself about one segment and says nothing of another, the order may have been given up before
 * it took that back.
 */
function outcomesOf(verdicts: readonly (readonly Verdict[])[]): OrderState[] {
  const best = verdicts.map((told) => (told.includes('delivered') ? 'delivered' : told[0]));
  if (best.every((verdict) => verdict === 'delivered')) return ['delivered'];
  if (best.includes('undelivered')) return ['undelivered'];
  return verdicts.flat().includes('undelivered') ? ['sent', 'undelivered'] : ['sent'];
}

/** Records the answers in their order and settles the receipts in any order, one by one, together or at once. */
async function interleave(
  answers: SubmitResult[],
  receipts: ReceiptToSettle[],
  draws: Iterator<number>,
  atOnce: boolean,
): Promise<void> {
  const draw = (limit: number) => (draws.next().value ?? 0) % limit;
  const underWay: Promise<unknown>[] = [];
  const go = async (step: Promise<unknown>) => {
    if (atOnce) underWay.push(step);
    else await step;
  };
  while (answers.length + receipts.length > 0) {
    if (draw(answers.length + receipts.length) < answers.length) {
      await go(ledger.record(answers.splice(0, 1 + draw(2))));
    } else {
      const batch = Array.from({ length: 1 + draw(3) }, () => receipts.splice(draw(receipts.length || 1), 1)).flat();
      if (batch.length > 0) await go(ledger.settle(batch));
    }
  }
  await Promise.all(underWay);
}

test(
  'in whatever order responses and receipts come, one by one, together or at once, the order ends the same',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom<Verdict>('delivered', 'undelivered'), { maxLength: 3 }), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.infiniteStream(fc.nat(1_000)),
        fc.boolean(),
        async (verdicts, draws, atOnce) => {
          const count = verdicts.length;
          const { account, order: message } = await submitting(ledger, count);
          const { epoch } = message;
          const answers = verdicts.map((_, index) =>
            answer({ id: message.id, epoch }, index + 1, 'accepted', { done: index + 1 === count }),
          );
          const receipts = verdicts.flatMap((told, index) =>
            told.map((verdict) => receiptFor(message, index + 1, verdict)),
          );
          await interleave(answers, receipts, draws, atOnce);
          // What a race has left unmatched is matched again, as the reconciler does.
          await rematchReceipts(ledger.database, 3_600, 30, 0);

          const record = await ledger.find(message.id);
          expect(outcomesOf(verdicts)).toContain(record.state);
          expect(record.amount).toBe(record.price);
          expect(record.segments.map(({ state }) => state)).toEqual(
            verdicts.map((told) =>
              told.length === 0 ? 'accepted' : told.includes('delivered') ? 'delivered' : 'undelivered',
            ),
          );
          expect(await ledger.figures(account)).toMatchObject({ reserved: 0n, captured: record.price });
          const unmatched = await ledger.database.query('select from parked_receipt where destination = $1', [
            message.destination,
          ]);
          expect(unmatched).toEqual([]);
        },
      ),
      fuzz(80),
    );
    await ledger.expectClean();
  },
  FUZZ_TIMEOUT_MS,
);

test(
  'of a carrier with one id for all segments each receipt settles another one, in whatever order they and responses come',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 4 }),
        fc.constantFrom<Verdict>('delivered', 'undelivered'),
        fc.infiniteStream(fc.nat(1_000)),
        fc.boolean(),
        async (count, verdict, draws, atOnce) => {
          const { order } = await submitting(ledger, count);
          const id = carrierId(order.id, 1);
          const answers = order.openPositions.map((position) =>
            answer(order, position, 'accepted', { answer: id, done: position === count }),
          );
          const receipts = order.openPositions.map(() => receiptFor(order, 1, verdict));
          await interleave(answers, receipts, draws, atOnce);
          await rematchReceipts(ledger.database, 3_600, 30, 0);
          const record = await ledger.find(order.id);
          expect(record.segments.map(({ state }) => state)).toEqual(order.openPositions.map(() => verdict));
          expect(record.state).toBe(verdict);
        },
      ),
      fuzz(25),
    );
    await ledger.expectClean();
  },
  FUZZ_TIMEOUT_MS,
);

test('a receipt that comes beside one of a long message is of one message only, although two have its id', async () => {
  const [older, long] = [await sent(ledger), await sent(ledger, 2)];
  const { order } = await submitting(ledger, 1, { destination: older.order.destination });
  await ledger.record([answer(order, 1, 'accepted', { answer: carrierId(older.order.id, 1) })]);
  await ledger.settle([receiptFor(older.order, 1, 'delivered'), receiptFor(long.order, 1, 'delivered')]);
  await rematchReceipts(ledger.database, 3_600, 30, 0);
  expect([await ledger.state(older.order.id), await ledger.state(order.id)]).toEqual(['sent', 'delivered']);
});

/** An order whose segment was submitted eleven minutes ago and waits for its receipt. */
async function sentLongAgo() {
  const { order } = await sent(ledger);
  const longAgo = "update segment set submitted_at = now() - interval '11 minutes' where message_id = $1";
  await ledger.database.query(longAgo, [order.id]);
  return order;
}

test.each([1, 2])(
  'a carrier counts its ids anew: %i early receipts are of the message to their number, not of one that waits',
  async (copies) => {
    const older = await sentLongAgo();
    const { order } = await submitting(ledger);
    const id = carrierId(older.id, 1);
    const early = receiptFor(order, 1, 'undelivered', { carrierMessageId: id });
    expect(await ledger.settle(Array.from({ length: copies }, () => early))).toEqual({ matched: 0, unmatched: copies });
    await rematchReceipts(ledger.database, 3_600, 30);
    await ledger.record([answer(order, 1, 'accepted', { answer: id })]);
    expect([await ledger.state(older.id), await ledger.state(order.id)]).toEqual(['sent', 'undelivered']);
    await ledger.settle([receiptFor(older, 1, 'delivered')]);
    expect(await ledger.state(older.id)).toBe('delivered');
  },
);

test('a late receipt with a number in another form is of the message with its id, a moment later', async () => {
  const order = await sentLongAgo();
  const receipt = receiptFor(order, 1, 'delivered', { destination: `521${order.destination.slice(2)}` });
  expect(await ledger.settle([receipt])).toEqual({ matched: 0, unmatched: 1 });
  await rematchReceipts(ledger.database, 3_600, 30, 0);
  expect(await ledger.state(order.id)).toBe('delivered');
});

test('a carrier that repeats a receipt without an end fills no disk', async () => {
  const { order } = await submitting(ledger);
  const receipt = receiptFor(order, 1, 'delivered');
  await ledger.settle(Array.from({ length: 300 }, () => receipt));
  expect(await ledger.settle([receipt])).toEqual({ matched: 0, unmatched: 0 });
});
