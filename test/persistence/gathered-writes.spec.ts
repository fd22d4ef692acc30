import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type ClaimedOrder, type ReceiptToSettle, type SubmitResult } from '#persistence';
import { recordIntents } from '../support/dispatch-steps.js';
import { answer, carrierId, receiptFor, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterEach(() => ledger.expectClean());
afterAll(() => ledger.close());

/**
 * Segments of each order. The usual ones are written in one statement and the others in several, which must not show.
 */
const LENGTHS = [1, 1, 2, 1, 1, 3, 1, 1, 1, 1];

/** Two accounts with the same messages in the same order, all of whose segments are recorded as submitting. */
async function submitting() {
  const accounts = [await ledger.account(100), await ledger.account(100)];
  const orders: ClaimedOrder[] = [];
  for (const [n, segments] of LENGTHS.entries()) {
    const message = await ledger.queued(accounts[n % 2] as string, segments);
    const order = await ledger.claimed(message.id);
    await recordIntents(
      ledger.database,
      order.openPositions
        .slice(1)
        .map((position) => ({ id: order.id, position, epoch: order.epoch, carrierId: ledger.carrierId })),
    );
    orders.push(order);
  }
  return { accounts, orders };
}

const nth =
  (orders: readonly ClaimedOrder[]) =>
  (n: number): ClaimedOrder =>
    orders[n] as ClaimedOrder;

/** Answers of each kind: the usual ones stand among the others. */
function answersTo(orders: readonly ClaimedOrder[]): SubmitResult[] {
  const order = nth(orders);
  return [
    answer(order(0), 1, 'accepted'),
    answer(order(1), 1, 'refused'),
    answer(order(2), 1, 'accepted', { done: false }),
    answer(order(2), 2, 'accepted'),
    answer(order(3), 1, 'pending', { retryAfterMs: 4_000 }),
    answer(order(4), 1, 'accepted'),
    answer(order(5), 1, 'accepted', { done: false }),
    answer(order(5), 2, 'refused', { done: false }),
    answer(order(5), 3, 'accepted'),
    answer(order(6), 1, 'in_doubt'),
    // Accepted without an id; of an earlier claim; and one that is written twice.
    answer(order(7), 1, 'accepted', { answer: '' }),
    answer(order(8), 1, 'accepted', { epoch: 0 }),
    answer(order(9), 1, 'accepted'),
    answer(order(9), 1, 'accepted'),
  ];
}

/** All that can be seen of the orders and their accounts, but for times, ids and what was journalled together. */
async function outcome({ accounts, orders }: Awaited<ReturnType<typeof submitting>>) {
  const messages = await Promise.all(orders.map(({ id }) => ledger.find(id)));
  return {
    figures: await Promise.all(accounts.map((account) => ledger.figures(account))),
    messages: messages.map(({ state, amount, carrierCode, transitions, segments }) => ({
      state,
      amount,
      carrierCode,
      transitions: transitions.map(({ from, to, actor, carrierCode: said }) => ({ from, to, actor, said })),
      segments: segments.map((segment) => ({ state: segment.state, code: segment.carrierCode })),
    })),
  };
}

describe('what is written together ends as what is written one by one', () => {
  test('answers of every kind', async () => {
    const together = await submitting();
    const apart = await submitting();
    const moved = await ledger.record(answersTo(together.orders));
    for (const one of answersTo(apart.orders)) await ledger.record([one]);
    expect(await outcome(together)).toEqual(await outcome(apart));
    const states = (await outcome(together)).messages.map(({ state }) => state);
    expect(states).toEqual([
      ...['sent', 'failed', 'sent', 'queued', 'sent'],
      ...['failed', 'sending', 'sent', 'sending', 'sent'],
    ]);
    const told = together.orders.map(({ id }) => moved.filter((move) => move.id === id).map(({ state }) => state));
    expect(told).toEqual([
      ...[['sent'], ['failed'], ['sent'], ['queued'], ['sent']],
      ...[['failed'], ['sending'], ['sent'], [], ['sent']],
    ]);
  });

  test('answers, when the receipt of one of them was faster', async () => {
    const together = await submitting();
    const apart = await submitting();
    for (const { orders } of [together, apart]) {
      const early = [receiptFor(nth(orders)(4), 1, 'delivered'), receiptFor(nth(orders)(2), 1, 'undelivered')];
      expect(await ledger.settle(early)).toMatchObject({ unmatched: 2 });
    }
    await ledger.record(answersTo(together.orders));
    for (const one of answersTo(apart.orders)) await ledger.record([one]);
    expect(await outcome(together)).toEqual(await outcome(apart));
    expect((await outcome(together)).messages[4]).toMatchObject({ state: 'delivered', carrierCode: 'DELIVRD' });
    expect((await outcome(together)).messages[2]).toMatchObject({ state: 'undelivered', carrierCode: 'UNDELIV' });
    expect((await outcome(together)).messages[0]).toMatchObject({ state: 'sent' });
  });

  const receiptsFor = (orders: readonly ClaimedOrder[]): ReceiptToSettle[] => {
    const order = nth(orders);
    return [
      receiptFor(order(0), 1, 'delivered'),
      receiptFor(order(2), 1, 'delivered'),
      receiptFor(order(4), 1, 'undelivered', { code: '045' }),
      receiptFor(order(2), 2, 'delivered'),
      receiptFor(order(9), 1, 'delivered', { destination: '10000000000' }),
    ];
  };

  test('answers to a submit that was made again, and behind it the late one to the first submit', async () => {
    const { id } = await ledger.queued(await ledger.account(2), 2);
    const first = await ledger.claimed(id);
    await ledger.record([answer(first, 1, 'in_doubt')]);
    await ledger.age(id, 31);
    expect(await ledger.sweep()).toContain(id);
    const again = await ledger.claimed(id);
    const changes = { done: false };
    const late = answer(first, 1, 'accepted', { ...changes, answer: 'late' });
    await ledger.record([answer(again, 1, 'accepted', changes), late]);
    expect((await ledger.find(id)).segments).toMatchObject([
      { state: 'accepted', carrierMessageId: carrierId(id, 1), attempt: 2 },
    ]);
  });

  test('receipts for short and long messages', async () => {
    const together = await submitting();
    const apart = await submitting();
    for (const { orders } of [together, apart]) await ledger.record(answersTo(orders));
    expect(await ledger.settle(receiptsFor(together.orders))).toEqual({ matched: 5, unmatched: 0 });
    for (const one of receiptsFor(apart.orders)) await ledger.settle([one]);
    expect(await outcome(together)).toEqual(await outcome(apart));
    const { messages } = await outcome(together);
    expect([0, 2, 4, 9].map((n) => messages[n]?.state)).toEqual(['delivered', 'delivered', 'undelivered', 'delivered']);
    expect(messages[4]).toMatchObject({ carrierCode: '045', segments: [{ state: 'undelivered', code: '045' }] });
  });

  test('receipts of a long message with other codes', async () => {
    const together = await submitting();
    const apart = await submitting();
    const receipts = (orders: readonly ClaimedOrder[]) => [
      receiptFor(nth(orders)(2), 1, 'delivered', { code: 'DELIVRD/9' }),
      receiptFor(nth(orders)(2), 2, 'undelivered', { code: 'DELETED' }),
      receiptFor(nth(orders)(2), 1, 'undelivered', { code: 'UNDELIV' }),
    ];
    for (const { orders } of [together, apart]) await ledger.record(answersTo(orders));
    await ledger.settle(receipts(together.orders));
    for (const one of receipts(apart.orders)) await ledger.settle([one]);
    expect(await outcome(together)).toEqual(await outcome(apart));
    expect((await outcome(together)).messages[2]).toMatchObject({ state: 'undelivered', carrierCode: 'DELETED' });
  });

  test('receipts that say both of a message: it was delivered', async () => {
    for (const states of [['undelivered', 'delivered'] as const, ['delivered', 'undelivered'] as const]) {
      const run = await submitting();
      await ledger.record(answersTo(run.orders));
      const order = nth(run.orders);
      const both = states.map((state) => receiptFor(order(4), 1, state));
      const { matched } = await ledger.settle([receiptFor(order(0), 1, 'delivered'), ...both]);
      expect(matched).toBe(3);
      const { messages } = await outcome(run);
      expect([messages[0]?.state, messages[4]?.state]).toEqual(['delivered', 'delivered']);
    }
  });

  test('receipts among which one comes again after it was settled', async () => {
    const run = await submitting();
    await ledger.record(answersTo(run.orders));
    const order = nth(run.orders);
    await ledger.settle([receiptFor(order(0), 1, 'undelivered')]);
    const { matched } = await ledger.settle([
      receiptFor(order(4), 1, 'delivered'),
      receiptFor(order(0), 1, 'delivered'),
      receiptFor(order(9), 1, 'undelivered'),
    ]);
    expect(matched).toBe(3);
    const { messages } = await outcome(run);
    expect([0, 4, 9].map((n) => messages[n]?.state)).toEqual(['delivered', 'delivered', 'undelivered']);
    expect(messages[0]?.transitions.map(({ to }) => to)).toEqual(['sending', 'sent', 'undelivered', 'delivered']);
  });
});

test('workers that record answers for the same accounts at the same time do not block each other', async () => {
  const accounts = await Promise.all(Array.from({ length: 8 }, () => ledger.account(24)));
  // Each worker has orders of all accounts, and meets the accounts in another order.
  const groups: (readonly ClaimedOrder[])[] = [];
  for (let worker = 0; worker < 6; worker += 1) {
    const turned = [...accounts.slice(worker), ...accounts.slice(0, worker)];
    const ids: string[] = [];
    for (const account of worker % 2 === 0 ? turned : turned.reverse()) {
      const lengths = worker === 5 ? [1, 2] : [1, 1];
      for (const segments of lengths) ids.push((await ledger.queued(account, segments)).id);
    }
    groups.push(await ledger.claim(ids));
  }
  await Promise.all(
    groups.map(async (orders) => {
      await recordIntents(
        ledger.database,
        orders
          .filter(({ segments }) => segments === 2)
          .map(({ id, epoch }) => ({ id, position: 2, epoch, carrierId: ledger.carrierId })),
      );
      await ledger.record(
        orders.flatMap((order) => order.openPositions.map((position) => answer(order, position, 'accepted'))),
      );
    }),
  );
  for (const account of accounts)
    expect(await ledger.figures(account)).toMatchObject({ reserved: 0n, captured: 130_000n });
});
