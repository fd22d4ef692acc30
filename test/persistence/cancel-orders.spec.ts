import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { cancelOrders, cancelRange, isLockTimeout, type PricedMessage, releaseHold, setHold } from '#persistence';
import { tryAgain } from '#timing';
import { answer, batchOf, receiptFor, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(async () => {
  await ledger.expectClean();
  await ledger.close();
});

const cancel = (accountId: string, { id }: PricedMessage) =>
  cancelOrders(ledger.database, accountId, [id]).then(([order]) => order);

describe('a message that is canceled', () => {
  test('while it is queued or scheduled: its charge is given back, once', async () => {
    const accountId = await ledger.account(4);
    const queued = await ledger.queued(accountId, 3);
    const later = ledger.message(1, { sendAt: new Date(Date.now() + 60_000) });
    await ledger.accept(accountId, [batchOf([later])]);
    for (const message of [queued, later]) {
      const first = await cancel(accountId, message);
      expect(first).toMatchObject({ id: message.id, state: 'canceled', released: message.price });
      expect(await cancel(accountId, message)).toEqual(first);
    }
    expect(await ledger.figures(accountId)).toMatchObject({ reserved: 0n, captured: 0n, available: 40_000n });
    expect(await ledger.claim([queued.id, later.id])).toEqual([]);
    expect(await ledger.sweep({ queueIsEmpty: true })).not.toContain(queued.id);
  });

  test('of another account, or unknown, is not there', async () => {
    const accountId = await ledger.account(1);
    const message = await ledger.queued(accountId);
    expect(await cancel(await ledger.account(0), message)).toBeUndefined();
    expect(await cancel(accountId, ledger.message())).toBeUndefined();
    expect(await ledger.state(message.id)).toBe('queued');
  });

  test('is not, once a worker has it, a carrier has it, or it has ended', async () => {
    const accountId = await ledger.account(2);
    const message = await ledger.queued(accountId);
    const order = await ledger.claimed(message.id);
    expect(await cancel(accountId, message)).toMatchObject({ state: 'sending', released: 0n });
    await ledger.record([answer(order, 1, 'accepted')]);
    expect(await cancel(accountId, message)).toMatchObject({ state: 'sent', released: 0n });
    await ledger.settle([receiptFor(message, 1, 'delivered')]);
    expect(await cancel(accountId, message)).toMatchObject({ state: 'delivered', released: 0n });
  });

  test('is, when a carrier has put it off and has nothing of it', async () => {
    const accountId = await ledger.account(1);
    const message = await ledger.queued(accountId);
    await ledger.record([answer(await ledger.claimed(message.id), 1, 'pending', { retryAfterMs: 60_000 })]);
    expect(await cancel(accountId, message)).toMatchObject({ state: 'canceled' });
  });

  test('is not, when a carrier may have it or has a part of it', async () => {
    const accountId = await ledger.account(3);
    const doubtful = await ledger.queued(accountId);
    await ledger.record([answer(await ledger.claimed(doubtful.id), 1, 'in_doubt')]);
    await ledger.age(doubtful.id, 1_000);
    await ledger.sweep();
    const begun = await ledger.queued(accountId, 2);
    const order = await ledger.claimed(begun.id);
    await ledger.record([answer(order, 1, 'accepted', { done: false })]);
    await ledger.record([answer(order, 2, 'pending')]);
    for (const message of [doubtful, begun]) {
      expect(await ledger.state(message.id)).toBe('queued');
      expect(await cancel(accountId, message)).toMatchObject({ state: 'queued', released: 0n });
    }
  });

  test('is not while a hold covers it, because it may have been sent before a restore', async () => {
    const accountId = await ledger.account(2);
    const held = await ledger.queued(accountId);
    const later = ledger.message(1, { sendAt: new Date(Date.now() + 3_600_000) });
    await ledger.accept(accountId, [batchOf([later])]);
    await setHold(ledger.database, 'spec');
    expect(await cancel(accountId, held)).toMatchObject({ state: 'queued' });
    // Its time has not come, so it cannot have been sent.
    expect(await cancel(accountId, later)).toMatchObject({ state: 'canceled' });
    await releaseHold(ledger.database);
    expect(await cancel(accountId, held)).toMatchObject({ state: 'canceled' });
  });

  test('waits 50 ms at most for a balance that somebody holds', async () => {
    const accountId = await ledger.account(1);
    const message = await ledger.queued(accountId);
    const holder = new pg.Client(ledger.url);
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('select from account_balance where account_id = $1 for update', [accountId]);
      const failure = await cancel(accountId, message).catch((error: unknown) => error);
      expect(isLockTimeout(failure)).toBe(true);
      expect(await ledger.state(message.id)).toBe('queued');
    } finally {
      await holder.end();
    }
    expect(await cancel(accountId, message)).toMatchObject({ state: 'canceled' });
  });
});

describe('messages that are canceled while workers claim them', () => {
  test('are each canceled and given back, or sent and charged, never both', async () => {
    const MESSAGES = 400;
    const accountId = await ledger.account(MESSAGES);
    const messages = Array.from({ length: MESSAGES }, () => ledger.message());
    for (let n = 0; n < MESSAGES; n += 200) await ledger.accept(accountId, [batchOf(messages.slice(n, n + 200))]);
    const ids = messages.map(({ id }) => id);
    const again = { giveUpAfterMs: 20_000, waitMs: 5 };
    const sent = new Set<string>();
    const worker = async (workerId: string, own: string[]) => {
      for (let n = 0; n < own.length; n += 10) {
        for (const order of await ledger.claim(own.slice(n, n + 10), { workerId })) {
          expect(sent.has(order.id)).toBe(false);
          sent.add(order.id);
          await ledger.record([answer(order, 1, 'accepted')]);
        }
      }
    };
    const canceled = new Set<string>();
    const client = async (own: string[]) => {
      for (const id of own) {
        const [order] = await tryAgain(() => cancelOrders(ledger.database, accountId, [id]), isLockTimeout, again);
        if (order?.state === 'canceled') canceled.add(id);
      }
    };
    const clientOfAll = async () => {
      for (let first = 1; first <= MESSAGES; first += 100) {
        const range = () => cancelRange(ledger.database, accountId, first, first + 99);
        const orders = await tryAgain(range, isLockTimeout, again);
        for (const { id, state } of orders) if (state === 'canceled') canceled.add(id);
      }
    };
    const backwards = ids.toReversed();
    await Promise.all([
      worker('worker-1', ids),
      worker('worker-2', backwards),
      worker('worker-3', [...ids.slice(200), ...ids.slice(0, 200)]),
      client([...ids.slice(130), ...ids.slice(0, 130)]),
      client([...backwards.slice(170), ...backwards.slice(0, 170)]),
      client(ids.toSorted()),
      clientOfAll(),
    ]);
    expect(canceled.size).toBeGreaterThan(0);
    expect(sent.size).toBeGreaterThan(0);
    expect([...canceled].filter((id) => sent.has(id))).toEqual([]);
    expect(canceled.size + sent.size).toBe(MESSAGES);
    expect(await ledger.figures(accountId)).toMatchObject({
      reserved: 0n,
      captured: 10_000n * BigInt(sent.size),
      available: 10_000n * BigInt(canceled.size),
    });
    await ledger.expectClean();
  });
});
