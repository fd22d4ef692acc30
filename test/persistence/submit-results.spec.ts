import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { claimOrders, recordIntents } from '../support/dispatch-steps.js';
import { answer, receiptFor, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterEach(() => ledger.expectClean());
afterAll(() => ledger.close());

/** An account with one claimed message, all of whose segments are recorded as submitting. */
async function submitting(segments = 1, carrierId = ledger.carrierId) {
  const account = await ledger.account(segments);
  const message = await ledger.queued(account, segments);
  const order = await ledger.claimed(message.id, { carrierId });
  await recordIntents(
    ledger.database,
    order.openPositions.slice(1).map((position) => ({ id: order.id, position, epoch: order.epoch, carrierId })),
  );
  return { account, message, order };
}

const segmentStates = async (id: string) => (await ledger.find(id)).segments.map(({ state }) => state);

describe('what the carrier took is charged, once', () => {
  test('an order is sent and captured when its last segment was taken, and stays reserved until then', async () => {
    const { account, order } = await submitting(3);
    expect(await ledger.record([answer(order, 1, 'accepted', { done: false })])).toEqual([]);
    expect(await ledger.record([answer(order, 3, 'accepted', { done: false })])).toEqual([]);
    expect(await ledger.figures(account)).toMatchObject({ reserved: 3n * SEGMENT_PRICE, captured: 0n });
    expect(await ledger.record([answer(order, 2, 'accepted')])).toEqual([{ id: order.id, state: 'sent' }]);
    expect(await ledger.figures(account)).toMatchObject({ reserved: 0n, captured: 3n * SEGMENT_PRICE });
  });

  test('an answer that is written twice, together with others or again later, counts once', async () => {
    const { account, order } = await submitting(2);
    const results = [answer(order, 1, 'accepted', { done: false }), answer(order, 2, 'accepted')];
    expect(await ledger.record([...results, ...results])).toEqual([{ id: order.id, state: 'sent' }]);
    expect(await ledger.record(results)).toEqual([]);
    expect(await ledger.record([answer(order, 1, 'refused')])).toEqual([]);
    expect(await ledger.state(order.id)).toBe('sent');
    expect(await ledger.figures(account)).toMatchObject({ captured: 2n * SEGMENT_PRICE, available: 0n });
  });
});

describe('what never left is given back, once', () => {
  test('a refused message costs nothing', async () => {
    const { account, order } = await submitting();
    expect(await ledger.record([answer(order, 1, 'refused', { answer: 'ESME_RINVDSTADR' })])).toEqual([
      { id: order.id, state: 'failed' },
    ]);
    expect(await ledger.find(order.id)).toMatchObject({ amount: 0n, carrierCode: 'ESME_RINVDSTADR', dueAt: undefined });
    expect(await ledger.figures(account)).toMatchObject({ available: SEGMENT_PRICE, reserved: 0n, captured: 0n });
  });

  test('of a long message that fails on the way, the segments that the carrier took stay charged, the rest is released', async () => {
    const { account, order } = await submitting(5);
    await ledger.record([1, 2].map((position) => answer(order, position, 'accepted', { done: false })));
    await ledger.record([answer(order, 4, 'pending', { done: false })]);
    const last = [answer(order, 3, 'refused', { done: false }), answer(order, 5, 'pending')];
    expect(await ledger.record(last)).toEqual([{ id: order.id, state: 'failed' }]);
    expect(await ledger.record(last)).toEqual([]);
    expect(await ledger.find(order.id)).toMatchObject({ amount: 2n * SEGMENT_PRICE });
    const figures = { available: 3n * SEGMENT_PRICE, reserved: 0n, captured: 2n * SEGMENT_PRICE };
    expect(await ledger.figures(account)).toMatchObject(figures);
    await ledger.settle([receiptFor(order, 1, 'delivered'), receiptFor(order, 2, 'undelivered')]);
    expect(await ledger.state(order.id)).toBe('failed');
    expect(await ledger.figures(account)).toMatchObject(figures);
  });

  test('a segment in doubt is waited for before the order may fail', async () => {
    const { account, order } = await submitting(2);
    await ledger.record([answer(order, 1, 'in_doubt', { done: false }), answer(order, 2, 'refused')]);
    expect(await ledger.state(order.id)).toBe('sending');
    await ledger.age(order.id, 31);
    await ledger.sweep();
    expect(await ledger.state(order.id)).toBe('failed');
    expect(await ledger.figures(account)).toMatchObject({ available: 2n * SEGMENT_PRICE });
  });
});

describe('what was not taken is tried again', () => {
  test('a throttled order is queued again after its back-off, and costs what it cost', async () => {
    const { account, order } = await submitting();
    expect(await ledger.record([answer(order, 1, 'pending', { retryAfterMs: 4_000 })])).toEqual([
      { id: order.id, state: 'queued' },
    ]);
    expect(await ledger.claim([order.id])).toEqual([]);
    await ledger.age(order.id, 5);
    const again = await ledger.claimed(order.id);
    expect(again.openPositions).toEqual([1]);
    await ledger.record([answer(again, 1, 'accepted')]);
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, available: 0n });
  });

  test('only the segments that are missing are open', async () => {
    const { order } = await submitting(4);
    const first = answer(order, 1, 'pending', { done: false });
    const taken = [2, 3].map((position) => answer(order, position, 'accepted', { done: false }));
    await ledger.record([first, ...taken, answer(order, 4, 'pending')]);
    const again = await ledger.claimed(order.id);
    expect(again).toMatchObject({ epoch: 2, openPositions: [1, 4] });
    await ledger.record([answer(again, 1, 'accepted')]);
    expect(await ledger.state(order.id)).toBe('queued');
  });

  test('an owner that has nothing more to submit gives the order back, and keeps the code that the carrier said', async () => {
    const { order } = await submitting();
    await ledger.record([answer(order, 1, 'pending', { answer: 'ESME_RTHROTTLED' })]);
    const again = await ledger.claimed(order.id);
    await ledger.record([answer(again, 1, 'pending', { answer: '', done: false })]);
    await ledger.record([answer(again, 0, 'pending', { answer: '' })]);
    expect(await ledger.find(order.id)).toMatchObject({ state: 'queued', carrierCode: 'ESME_RTHROTTLED' });
  });
});

describe('in doubt, the policy of the carrier decides after a wait', () => {
  test('resend: the segment is sent again, and charged once', async () => {
    const { account, order } = await submitting(2);
    await ledger.record([answer(order, 1, 'accepted', { done: false }), answer(order, 2, 'in_doubt')]);
    expect(await ledger.state(order.id)).toBe('sending');
    await ledger.sweep();
    expect(await segmentStates(order.id)).toEqual(['accepted', 'in_doubt']);
    await ledger.age(order.id, 31);
    await ledger.sweep();
    expect(await ledger.state(order.id)).toBe('queued');
    const again = await ledger.claimed(order.id);
    expect(again.openPositions).toEqual([2]);
    await ledger.record([answer(again, 2, 'accepted')]);
    expect(await ledger.figures(account)).toMatchObject({ captured: 2n * SEGMENT_PRICE, reserved: 0n });
  });

  test('resend: the wait doubles each time, so that a carrier that never answers gets few copies', async () => {
    const { order } = await submitting();
    await ledger.database.query("update message_order set valid_until = now() + interval '1 day' where id = $1", [
      order.id,
    ]);
    // A throttled submit reached nobody, and lengthens no wait.
    await ledger.record([answer(order, 1, 'pending', { answer: 'ESME_RTHROTTLED' })]);
    let copy = await ledger.claimed(order.id);
    for (const waitSeconds of [30, 60, 120, 240]) {
      await ledger.record([answer(copy, 1, 'in_doubt')]);
      await ledger.age(order.id, waitSeconds - 5);
      expect(await ledger.sweep()).not.toContain(order.id);
      await ledger.age(order.id, 6);
      expect(await ledger.sweep()).toContain(order.id);
      copy = await ledger.claimed(order.id);
    }
  });

  test('resend: 24 hours hold 12 copies for a carrier that never answers', async () => {
    const { order } = await submitting();
    const daySeconds = 86_400;
    await ledger.database.query(
      'update message_order set valid_until = now() + make_interval(secs => $2) where id = $1',
      [order.id, daySeconds],
    );
    let copies = 0;
    for (let copy: typeof order | undefined = order; copy !== undefined; [copy] = await ledger.claim([order.id])) {
      copies += 1;
      await ledger.record([answer(copy, 1, 'in_doubt')]);
      while ((await ledger.state(order.id)) === 'sending') {
        const { dueAt } = await ledger.find(order.id);
        await ledger.age(order.id, ((dueAt?.getTime() ?? 0) - Date.now()) / 1_000 + 1);
        await ledger.sweep();
      }
    }
    expect(copies).toBe(12);
    expect(await ledger.find(order.id)).toMatchObject({ state: 'unknown', dueAt: undefined });
  });

  test('resend: a doubled wait is over when the validity is', async () => {
    const { order } = await submitting();
    await ledger.database.query("update message_order set valid_until = now() + interval '70 s' where id = $1", [
      order.id,
    ]);
    await ledger.record([answer(order, 1, 'in_doubt')]);
    await ledger.age(order.id, 31);
    await ledger.sweep();
    await ledger.record([answer(await ledger.claimed(order.id), 1, 'in_doubt')]);
    await ledger.age(order.id, 31);
    await ledger.sweep();
    expect(await ledger.state(order.id)).toBe('sending');
    await ledger.age(order.id, 9);
    await ledger.sweep();
    expect(await ledger.find(order.id)).toMatchObject({ state: 'unknown', dueAt: undefined });
  });

  test('hold: it is not sent again, ends as unknown, and stays charged', async () => {
    const carrierId = await ledger.carrier({ inDoubtPolicy: 'hold' });
    const { account, order } = await submitting(1, carrierId);
    await ledger.record([answer(order, 1, 'in_doubt')]);
    await ledger.age(order.id, 31);
    expect(await ledger.sweep()).not.toContain(order.id);
    expect(await ledger.find(order.id)).toMatchObject({ state: 'unknown', dueAt: undefined });
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
  });

  test('hold: the segments that never left are sent, and the order ends as unknown all the same', async () => {
    const carrierId = await ledger.carrier({ inDoubtPolicy: 'hold' });
    const { account, order } = await submitting(3, carrierId);
    await ledger.record([
      answer(order, 1, 'in_doubt', { done: false }),
      answer(order, 2, 'accepted', { done: false }),
      answer(order, 3, 'pending'),
    ]);
    await ledger.age(order.id, 31);
    expect(await ledger.sweep()).toContain(order.id);
    const again = await ledger.claimed(order.id, { carrierId });
    expect(again.openPositions).toEqual([3]);
    expect(await ledger.record([answer(again, 3, 'accepted')])).toEqual([{ id: order.id, state: 'unknown' }]);
    expect(await ledger.figures(account)).toMatchObject({ captured: 3n * SEGMENT_PRICE });
  });

  test('an answer that comes while the segment is in doubt ends the doubt', async () => {
    const { order } = await submitting();
    await ledger.age(order.id, 61);
    await ledger.sweep();
    expect(await segmentStates(order.id)).toEqual(['in_doubt']);
    expect(await ledger.record([answer(order, 1, 'accepted')])).toEqual([{ id: order.id, state: 'sent' }]);
  });

  test('an answer that comes when the segment waits to be sent again stops that', async () => {
    const { account, order } = await submitting();
    await ledger.record([answer(order, 1, 'in_doubt')]);
    await ledger.age(order.id, 31);
    expect(await ledger.sweep()).toContain(order.id);
    expect(await ledger.record([answer(order, 1, 'accepted', { done: false })])).toEqual([
      { id: order.id, state: 'sent' },
    ]);
    expect(await ledger.claim([order.id])).toEqual([]);
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
  });

  test('an answer that comes after the segment was given up as unknown names it for a late receipt', async () => {
    const carrierId = await ledger.carrier({ inDoubtPolicy: 'hold' });
    const { order } = await submitting(1, carrierId);
    await ledger.record([answer(order, 1, 'in_doubt')]);
    await ledger.age(order.id, 31);
    await ledger.sweep();
    await ledger.record([answer(order, 1, 'accepted', { done: false })]);
    expect(await ledger.state(order.id)).toBe('unknown');
    await ledger.settle([receiptFor(order, 1, 'delivered')], carrierId);
    expect(await ledger.state(order.id)).toBe('delivered');
  });

  test('an answer that comes when the message has failed, and its receipts, move no money and are no drift', async () => {
    const { account, order } = await submitting();
    await ledger.record([answer(order, 1, 'in_doubt')]);
    await ledger.age(order.id, 31);
    await ledger.sweep();
    await ledger.record([answer(await ledger.claimed(order.id), 1, 'refused')]);
    expect(await ledger.state(order.id)).toBe('failed');
    await ledger.record([answer(order, 1, 'accepted')]);
    await ledger.expectClean();
    for (const state of ['undelivered', 'delivered'] as const) await ledger.settle([receiptFor(order, 1, state)]);
    expect(await ledger.state(order.id)).toBe('failed');
    expect(await ledger.figures(account)).toMatchObject({ captured: 0n, reserved: 0n });
  });
});

describe('a carrier that takes messages whole', () => {
  test('has a long message with one submit: its answer and its receipt stand for all segments', async () => {
    const account = await ledger.account(3);
    const message = await ledger.queued(account, 3);
    const order = await ledger.claimed(message.id, { whole: true });
    expect(order.openPositions).toEqual([1]);
    expect(await ledger.record([answer(order, 1, 'accepted')])).toEqual([{ id: order.id, state: 'sent' }]);
    expect(await ledger.figures(account)).toMatchObject({ captured: 3n * SEGMENT_PRICE, reserved: 0n });
    await ledger.settle([receiptFor(order, 1, 'delivered')]);
    expect(await ledger.state(order.id)).toBe('delivered');
  });

  test('and that refuses gives all of it back', async () => {
    const account = await ledger.account(3);
    const order = await ledger.claimed((await ledger.queued(account, 3)).id, { whole: true });
    expect(await ledger.record([answer(order, 1, 'refused')])).toEqual([{ id: order.id, state: 'failed' }]);
    expect(await ledger.figures(account)).toMatchObject({ captured: 0n, reserved: 0n });
  });

  test('never gets the rest of a message that another carrier has begun', async () => {
    const { order } = await submitting(2);
    await ledger.record([answer(order, 1, 'accepted', { done: false }), answer(order, 2, 'pending')]);
    const owner = { workerId: 'w', carrierId: await ledger.carrier(), leaseSeconds: 60 };
    expect(await claimOrders(ledger.database, [order.id], { ...owner, whole: true })).toEqual([]);
    expect(await claimOrders(ledger.database, [order.id], owner)).toEqual([]);
    const due = 'select id from message_order where id = $1 and due_at <= now()';
    expect(await ledger.database.query(due, [order.id])).toHaveLength(1);
    expect((await ledger.claimed(order.id)).openPositions).toEqual([2]);
  });
});
