import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { rematchReceipts, settleReceipts } from '#persistence';
import { answer, receiptFor, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';
import { byReference, MATCHED, sent as sentOn, submitting as submittingOn, UNMATCHED } from './submitted-orders.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterEach(() => ledger.expectClean());
afterAll(() => ledger.close());

const submitting = (segments?: number, changes?: { destination?: string }) => submittingOn(ledger, segments, changes);
const sent = (segments?: number, changes?: { destination?: string }) => sentOn(ledger, segments, changes);
const rematch = () => rematchReceipts(ledger.database, 300, 30, 0);

/** The order claimed once more, after its segment was in doubt for so long that it is to be sent again. */
async function resent(order: { id: string }, carrierId = ledger.carrierId) {
  await ledger.record([answer({ id: order.id, epoch: 1 }, 1, 'in_doubt')]);
  await ledger.age(order.id, 31);
  expect(await ledger.sweep()).toContain(order.id);
  return ledger.claimed(order.id, { carrierId });
}

describe('without the id a receipt is known by the reference that it carries', () => {
  test('of a segment in doubt, which is then not sent again', async () => {
    const { account, order } = await submitting(2);
    await ledger.record([answer(order, 1, 'accepted', { done: false }), answer(order, 2, 'in_doubt')]);
    expect(await ledger.settle([byReference(order, 2)])).toEqual(UNMATCHED);
    expect(await rematch()).toBe(1);
    expect(await ledger.state(order.id)).toBe('sent');
    await ledger.settle([receiptFor(order, 1, 'delivered')]);
    expect(await ledger.state(order.id)).toBe('delivered');
    expect(await ledger.figures(account)).toMatchObject({ captured: 2n * SEGMENT_PRICE });
  });

  test('and from then on by the id that it brought', async () => {
    const { order } = await submitting();
    await ledger.record([answer(order, 1, 'in_doubt')]);
    await ledger.settle([byReference(order, 1, 'undelivered')]);
    expect(await rematch()).toBe(1);
    expect(await ledger.settle([byReference(order, 1, 'delivered', { userMessageReference: undefined })])).toEqual(
      MATCHED,
    );
    expect(await ledger.state(order.id)).toBe('delivered');
  });

  test('but not at once: it may only be early, for another segment with the same reference', async () => {
    const [doubtful, early] = [await submitting(), await submitting()];
    await ledger.record([answer(doubtful.order, 1, 'in_doubt')]);
    const receipt = byReference(doubtful.order, 1, 'delivered', { carrierMessageId: 'early-id' });
    expect(await ledger.settle([receipt])).toEqual(UNMATCHED);
    expect(await rematchReceipts(ledger.database, 300, 30)).toBe(0);
    await ledger.record([answer(early.order, 1, 'accepted', { answer: 'early-id' })]);
    expect(await ledger.state(early.order.id)).toBe('delivered');
    expect(await ledger.state(doubtful.order.id)).toBe('sending');
  });

  test('when it came before the segment was in doubt', async () => {
    const { order } = await submitting();
    expect(await ledger.settle([byReference(order, 1)])).toEqual(UNMATCHED);
    expect(await rematch()).toBe(0);
    await ledger.record([answer(order, 1, 'in_doubt')]);
    expect(await rematch()).toBe(1);
    expect(await ledger.state(order.id)).toBe('delivered');
  });

  test('when the worker died before it heard the answer', async () => {
    const { order } = await submitting();
    expect(await ledger.settle([byReference(order, 1)])).toEqual(UNMATCHED);
    await ledger.age(order.id, 61);
    await ledger.sweep();
    expect(await rematch()).toBe(1);
    expect(await ledger.state(order.id)).toBe('delivered');
  });

  test('when the carrier took the segment without giving an id', async () => {
    const { order } = await submitting();
    await ledger.record([answer(order, 1, 'accepted', { answer: '' })]);
    expect(await ledger.state(order.id)).toBe('sent');
    expect(await ledger.settle([byReference(order, 1)])).toEqual(UNMATCHED);
    expect(await rematch()).toBe(1);
    expect(await ledger.state(order.id)).toBe('delivered');
  });

  test('when it came just before the wait was over, which then lasts until the receipt is looked at', async () => {
    const { order } = await submitting();
    await ledger.record([answer(order, 1, 'in_doubt')]);
    await ledger.age(order.id, 29);
    await ledger.settle([byReference(order, 1)]);
    await ledger.age(order.id, 2);
    expect(await ledger.sweep()).not.toContain(order.id);
    expect(await rematch()).toBe(1);
    expect(await ledger.state(order.id)).toBe('delivered');
  });

  test('and a receipt to another number, of another carrier or before the submit makes no wait longer', async () => {
    const { order } = await submitting();
    const other = await ledger.carrier();
    await ledger.settle([byReference(order, 1)]);
    await ledger.database.query('update segment set submitted_at = now() where message_id = $1', [order.id]);
    await ledger.record([answer(order, 1, 'in_doubt')]);
    await ledger.settle([byReference(order, 1, 'delivered', { destination: '46999999998' })]);
    await settleReceipts(ledger.database, other, [byReference(order, 1)], 30);
    await ledger.age(order.id, 31);
    expect(await ledger.sweep()).toContain(order.id);
  });

  test('after the doubt was given up and before the segment went out again, it does not go out again', async () => {
    const { account, order } = await submitting();
    await ledger.record([answer(order, 1, 'in_doubt')]);
    await ledger.age(order.id, 31);
    expect(await ledger.sweep()).toContain(order.id);
    await ledger.settle([byReference(order, 1)]);
    expect(await rematch()).toBe(1);
    expect(await ledger.claim([order.id])).toEqual([]);
    expect(await ledger.state(order.id)).toBe('delivered');
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
  });

  test('after the segment went out again, whatever became of the second one', async () => {
    const { account, order } = await submitting();
    const again = await resent(order);
    await ledger.record([answer(again, 1, 'pending', { retryAfterMs: 60_000 })]);
    await ledger.settle([byReference(order, 1)]);
    expect(await rematch()).toBe(1);
    expect(await ledger.state(order.id)).toBe('delivered');
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
  });

  test('after the segment went out again by another carrier', async () => {
    const { order } = await submitting();
    const other = await ledger.carrier();
    const again = await resent(order, other);
    await ledger.settle([byReference(order, 1)]);
    expect(await rematch()).toBe(1);
    expect(await ledger.state(order.id)).toBe('delivered');
    expect(await ledger.record([answer(again, 1, 'refused')])).toEqual([]);
    // Its id is one of the first carrier, so margin and reconcile find it there.
    const taken = await ledger.database.query('select carrier_id from segment where message_id = $1', [order.id]);
    expect(taken).toEqual([{ carrier_id: ledger.carrierId }]);
  });

  test('after another carrier took a segment: each has its own, and one of the two gets the rest', async () => {
    const { order } = await submitting(3);
    const other = await ledger.carrier();
    for (const position of [2, 3]) await ledger.record([answer(order, position, 'in_doubt', { done: false })]);
    const again = await resent(order, other);
    await ledger.record([answer(again, 1, 'accepted')]);
    expect(await ledger.state(order.id)).toBe('queued');
    await ledger.settle([byReference(order, 2)]);
    expect(await rematch()).toBe(1);
    expect(await ledger.claim([order.id])).toEqual([]);
    expect(await ledger.claimed(order.id, { carrierId: other })).toMatchObject({ openPositions: [3] });
    await ledger.settle([byReference(order, 3)]);
    expect(await rematch()).toBe(1);
    expect(await ledger.state(order.id)).toBe('sent');
    const carriers = 'select position, carrier_id from segment where message_id = $1 order by position';
    expect(await ledger.database.query(carriers, [order.id])).toEqual([
      { position: 1, carrier_id: other },
      { position: 2, carrier_id: ledger.carrierId },
      { position: 3, carrier_id: ledger.carrierId },
    ]);
  });

  test('but that the first one was not delivered says nothing about the second', async () => {
    const { order } = await submitting();
    const again = await resent(order);
    await ledger.settle([byReference(order, 1, 'undelivered')]);
    expect(await rematch()).toBe(0);
    expect(await ledger.record([answer(again, 1, 'accepted')])).toEqual([{ id: order.id, state: 'sent' }]);
  });

  test('a reference alone moves no segment that has its id, and none of another number', async () => {
    const [known, doubtful] = [await sent(), await submitting()];
    await ledger.record([answer(doubtful.order, 1, 'in_doubt')]);
    const foreign = byReference(doubtful.order, 1, 'delivered', { destination: '46999999999' });
    expect(await ledger.settle([byReference(known.order, 1), foreign])).toEqual({ matched: 0, unmatched: 2 });
    expect(await ledger.state(known.order.id)).toBe('sent');
    expect(await ledger.state(doubtful.order.id)).toBe('sending');
  });
});

describe('a receipt without a mark may be of a person who knows the id', () => {
  const BY_HANDSET = { isUnmarked: true, destination: '46799999999' };

  test('so it settles no message to another number', async () => {
    const { order } = await sent();
    expect(await ledger.settle([receiptFor(order, 1, 'undelivered', BY_HANDSET)])).toEqual(UNMATCHED);
    expect(await rematch()).toBe(0);
    expect(await ledger.state(order.id)).toBe('sent');
  });

  test('nor one whose response comes next', async () => {
    const { order } = await submitting();
    expect(await ledger.settle([receiptFor(order, 1, 'undelivered', BY_HANDSET)])).toEqual(UNMATCHED);
    await ledger.record([answer(order, 1, 'accepted')]);
    expect(await rematch()).toBe(0);
    expect(await ledger.state(order.id)).toBe('sent');
  });

  test.each(['', '00', '-46'])('but it counts for its own number, also written in another way (%s)', async (how) => {
    const [early, late] = [await submitting(), await sent()];
    for (const { order } of [early, late]) {
      const destination = how === '-46' ? `0${order.destination.slice(2)}` : `${how}${order.destination}`;
      await ledger.settle([receiptFor(order, 1, 'delivered', { isUnmarked: true, destination })]);
    }
    await ledger.record([answer(early.order, 1, 'accepted')]);
    for (const { order } of [early, late]) expect(await ledger.state(order.id)).toBe('delivered');
  });
});
