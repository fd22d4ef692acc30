import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { CarrierReceipt } from '#carrier';
import { SettleReceipts } from '#persistence';
import { answer, receiptFor, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';
import { byReference, MATCHED, submitting as submittingOn } from './submitted-orders.js';

const IGNORED = { inc: () => undefined, observe: () => undefined };

let ledger: TestLedger;
let receipts: SettleReceipts;
beforeAll(async () => {
  ledger = await TestLedger.create();
  receipts = new SettleReceipts(ledger.database, 30, {
    metrics: { receipts: IGNORED, receiptSeconds: IGNORED, unmatchedReceipts: IGNORED },
    write: (_receipts, write) => write(),
    stored: () => undefined,
  });
});
afterEach(() => ledger.expectClean());
afterAll(() => ledger.close());

const submitting = (segments?: number) => submittingOn(ledger, segments);

/** The carrier says, for now, that it has the segment. */
async function notice(
  order: { id: string; destination: string },
  position: number,
  changes: Partial<CarrierReceipt> = {},
  carrierId = ledger.carrierId,
): Promise<void> {
  const carrierMessageId = `late-${order.id}-${position}`;
  await receipts.settle(
    { carrierId, name: 'carrier' },
    { ...byReference(order, position), state: 'pending', code: 'ENROUTE', carrierMessageId, ...changes },
  );
}

const receiptOf = (order: { id: string; destination: string }, position: number) =>
  receiptFor(order, position, 'delivered', { carrierMessageId: `late-${order.id}-${position}` });

test('a segment in doubt counts as taken, and is known by the id of the notice from then on', async () => {
  const { account, order } = await submitting();
  await ledger.record([answer(order, 1, 'in_doubt')]);
  await notice(order, 1);
  expect(await ledger.state(order.id)).toBe('sent');
  expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
  await ledger.age(order.id, 31);
  expect(await ledger.sweep()).not.toContain(order.id);
  expect(await ledger.settle([receiptOf(order, 1)])).toEqual(MATCHED);
  expect(await ledger.state(order.id)).toBe('delivered');
});

test('one that waits to be sent again is not sent again', async () => {
  const { order } = await submitting();
  await ledger.record([answer(order, 1, 'in_doubt')]);
  await ledger.age(order.id, 31);
  expect(await ledger.sweep()).toContain(order.id);
  await notice(order, 1);
  expect(await ledger.state(order.id)).toBe('sent');
  expect(await ledger.claim([order.id])).toEqual([]);
});

test('the owner goes on with the other segments of the message', async () => {
  const { order } = await submitting(2);
  await ledger.record([answer(order, 1, 'in_doubt', { done: false })]);
  await notice(order, 1);
  expect(await ledger.state(order.id)).toBe('sending');
  await ledger.record([answer(order, 2, 'accepted')]);
  expect(await ledger.state(order.id)).toBe('sent');
});

test('two segments in doubt, told at once, are both taken', async () => {
  const { account, order } = await submitting(2);
  await ledger.record([answer(order, 1, 'in_doubt', { done: false }), answer(order, 2, 'in_doubt')]);
  await Promise.all([notice(order, 1), notice(order, 2)]);
  expect(await ledger.state(order.id)).toBe('sent');
  expect(await ledger.figures(account)).toMatchObject({ captured: 2n * SEGMENT_PRICE });
});

test('a segment that is told several times at once is taken once', async () => {
  const { account, order } = await submitting();
  await ledger.record([answer(order, 1, 'in_doubt')]);
  await Promise.all(['queued', 'sending', 'sent'].map((code) => notice(order, 1, { code })));
  expect(await ledger.state(order.id)).toBe('sent');
  expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
});

test('a receipt that has come before by the same id is applied with the notice', async () => {
  const { order } = await submitting();
  await ledger.settle([{ ...receiptOf(order, 1), userMessageReference: undefined }]);
  await ledger.record([answer(order, 1, 'in_doubt')]);
  await notice(order, 1);
  expect(await ledger.state(order.id)).toBe('delivered');
});

test('an answer that comes after the notice changes nothing more', async () => {
  const { account, order } = await submitting();
  await ledger.record([answer(order, 1, 'in_doubt')]);
  await notice(order, 1);
  await ledger.record([answer(order, 1, 'accepted', { answer: `late-${order.id}-1` })]);
  await ledger.record([answer(order, 1, 'in_doubt')]);
  expect(await ledger.state(order.id)).toBe('sent');
  expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
});

test('a segment that was submitted again has a new doubt, or none', async () => {
  const { order } = await submitting();
  await ledger.record([answer(order, 1, 'in_doubt')]);
  await ledger.age(order.id, 31);
  await ledger.sweep();
  const again = await ledger.claimed(order.id);
  await notice(order, 1);
  expect(await ledger.state(order.id)).toBe('sending');
  await ledger.record([answer(again, 1, 'refused')]);
  expect(await ledger.state(order.id)).toBe('failed');
});

test.each(['ENROUTE', 'ACCEPTD', 'accepted', 'queued', 'sending', 'sent', 'sent/30008'])(
  '%s tells it',
  async (code) => {
    const { order } = await submitting();
    await ledger.record([answer(order, 1, 'in_doubt')]);
    await notice(order, 1, { code });
    expect(await ledger.state(order.id)).toBe('sent');
  },
);

test.each(['UNKNOWN', 'never-heard-of', 'sentinel', ''])('%s does not tell it', async (code) => {
  const { order } = await submitting();
  await ledger.record([answer(order, 1, 'in_doubt')]);
  await notice(order, 1, { code });
  expect(await ledger.state(order.id)).toBe('sending');
});

test('it tells nothing about another number, of another carrier, without an id or without a reference', async () => {
  const { order } = await submitting();
  const other = await ledger.carrier();
  await ledger.record([answer(order, 1, 'in_doubt')]);
  await notice(order, 1, { destination: '46999999998' });
  await notice(order, 1, {}, other);
  await notice(order, 1, { carrierMessageId: undefined });
  await notice(order, 1, { carrierMessageId: '' });
  await notice(order, 1, { userMessageReference: undefined });
  expect(await ledger.state(order.id)).toBe('sending');
  expect(await ledger.database.query('select from parked_receipt')).toEqual([]);
});
