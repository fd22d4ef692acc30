import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  cancelOrders,
  findOrders,
  type PricedMessage,
  retainNextSlice,
  scheduledCount,
  setRetention,
  startScheduled,
  suspendAccount,
} from '#persistence';
import { batchOf, requestOf, TestLedger } from '../support/test-ledger.js';

const HOUR_MS = 3_600_000;
let ledger: TestLedger;
// Whatever is due is taken in turns over all accounts, so each test has a database of its own.
beforeEach(async () => {
  ledger = await TestLedger.create();
});
afterEach(async () => {
  await ledger.expectClean();
  await ledger.close();
});

const inOneHour = () => new Date(Date.now() + HOUR_MS);

/** Accepts messages for a time; several are a batch. */
async function schedule(accountId: string, count: number, sendAt: Date): Promise<PricedMessage[]> {
  const messages = Array.from({ length: count }, () => ledger.message(1, { sendAt }));
  const request = { ...batchOf(messages), inBacklog: false };
  expect(await ledger.accept(accountId, [request])).toEqual([{ kind: 'accepted' }]);
  return messages;
}

/** As if the time of everything that is scheduled had come. */
const letTimeCome = async () => {
  await ledger.database.query(`update message_order set send_at = now() - interval '1 second' where send_at > now()`);
  await ledger.database.query('update order_schedule set send_at = now()');
};
const start = (limit?: number, after?: string) => startScheduled(ledger.database, after, limit);
const counts = async (accountId: string): Promise<Record<string, number>> => {
  const rows = await ledger.database.query<{ state: string; n: number }>(
    'select state, count(*)::integer as n from message_order where account_id = $1 group by state',
    [accountId],
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
};

describe('a scheduled message', () => {
  test('is charged at once, and nothing looks at it before its time', async () => {
    const accountId = await ledger.account(1);
    const [message] = await schedule(accountId, 1, inOneHour());
    expect(await ledger.figures(accountId)).toMatchObject({ reserved: 10_000n, available: 0n });
    expect(await start()).toEqual({ started: 0, after: undefined });
    expect(await ledger.sweep({ queueIsEmpty: true })).toEqual([]);
    expect(await ledger.claim([message?.id ?? ''])).toEqual([]);
    expect(await ledger.find(message?.id ?? '')).toMatchObject({ state: 'scheduled', dueAt: undefined });
  });

  test('is queued when its time has come, in the backlog of its account', async () => {
    const accountId = await ledger.account(1);
    const [message] = await schedule(accountId, 1, inOneHour());
    await letTimeCome();
    expect((await start()).started).toBe(1);
    expect(await ledger.state(message?.id ?? '')).toBe('queued');
    expect(await ledger.fed()).toEqual([message?.id]);
    expect((await start()).started).toBe(0);
  });

  test('is valid from its time on, for as long as its client says', async () => {
    const accountId = await ledger.account(3);
    const sendAt = inOneHour();
    const usual = ledger.message(1, { sendAt });
    const short = ledger.message(1, { sendAt, validitySeconds: 600 });
    const atOnce = ledger.message(1, { validitySeconds: 60 });
    const request = batchOf([usual, short, atOnce]);
    expect(await ledger.accept(accountId, [request])).toEqual([{ kind: 'accepted' }]);
    const validMs = async (id: string, from: 'sendAt' | 'createdAt') => {
      const found = await ledger.find(id);
      return found.validUntil.getTime() - (found[from]?.getTime() ?? 0);
    };
    expect(await validMs(usual.id, 'sendAt')).toBe(HOUR_MS);
    expect(await validMs(short.id, 'sendAt')).toBe(600_000);
    expect(await validMs(atOnce.id, 'createdAt')).toBe(60_000);
    // Those of the batch that are not scheduled are sent at once.
    expect(await ledger.fed()).toEqual([atOnce.id]);
  });

  test('whose row is locked is queued a second later', async () => {
    const accountId = await ledger.account(2);
    const messages = await schedule(accountId, 2, inOneHour());
    await letTimeCome();
    const holder = new pg.Client(ledger.url);
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('select from message_order where id = $1 for update', [messages[0]?.id]);
      expect((await start()).started).toBe(1);
    } finally {
      await holder.end();
    }
    expect(await counts(accountId)).toEqual({ scheduled: 1, queued: 1 });
    await letTimeCome();
    expect((await start()).started).toBe(1);
    expect(await counts(accountId)).toEqual({ queued: 2 });
  });

  test('is refunded with the queued ones when its account is suspended so', async () => {
    const accountId = await ledger.account(2);
    await schedule(accountId, 1, inOneHour());
    await ledger.queued(accountId);
    expect(await suspendAccount(ledger.database, accountId)).toMatchObject({ queued: 2 });
    expect(await suspendAccount(ledger.database, accountId, 'refund')).toMatchObject({ queued: 0, refunded: 2 });
    expect(await ledger.figures(accountId)).toMatchObject({ reserved: 0n, available: 20_000n });
  });
});

describe('many scheduled messages', () => {
  test('are counted without those that were canceled, also when retention has dropped these', async () => {
    const { database } = ledger;
    const accountId = await ledger.account(8);
    const [first, second] = [
      await schedule(accountId, 3, new Date(Date.now() + HOUR_MS)),
      await schedule(accountId, 5, new Date(Date.now() + 2 * HOUR_MS)),
    ];
    const canceled = [...first, ...second.slice(0, 2)].map(({ id }) => id);
    await cancelOrders(database, accountId, canceled);
    expect(await scheduledCount(database)).toBe(3);
    await setRetention(database, { rowDays: 7 });
    await database.query(
      `update message_order set created_at = created_at - p, final_at = final_at - p
         from make_interval(days => 8) p where id = any($1)`,
      [canceled],
    );
    expect(await retainNextSlice(database, '0', 10)).toMatchObject({ messages: 5 });
    expect(await scheduledCount(database)).toBe(3);
  });

  test('of one batch are one row, and those of one account are queued 200 at a time, others in between', async () => {
    const many = await ledger.account(1_000);
    const few = await ledger.account(1);
    await schedule(many, 1_000, inOneHour());
    await schedule(few, 1, inOneHour());
    expect(await ledger.database.query('select from order_schedule')).toHaveLength(2);
    await letTimeCome();
    const [row] = await ledger.database.query<{ started: number; account_id: string }>(
      'select * from start_scheduled(null, 201)',
    );
    expect(row?.started).toBe(201);
    expect(await counts(many)).toEqual({ scheduled: 800, queued: 200 });
    expect(await counts(few)).toEqual({ queued: 1 });
    expect((await start(undefined, row?.account_id)).started).toBe(800);
    expect(await ledger.database.query('select from order_schedule')).toHaveLength(0);
    expect(await ledger.fed()).toHaveLength(1_001);
  });

  test('of single sends are queued in order of their times', async () => {
    const accountId = await ledger.account(300);
    const requests = Array.from({ length: 300 }, (_, n) => {
      const message = ledger.message(1, { sendAt: new Date(Date.now() + HOUR_MS + ((n * 7) % 300) * 1_000) });
      return { ...requestOf(message), inBacklog: false };
    });
    await ledger.accept(accountId, requests);
    for (const table of ['order_schedule', 'message_order']) {
      await ledger.database.query(`update ${table} set send_at = send_at - interval '1 hour 150 seconds'`);
    }
    await start();
    const [row] = await ledger.database.query<{ latest: Date; earliest: Date }>(
      `select max(send_at) filter (where state = 'queued') as latest,
              min(send_at) filter (where state = 'scheduled') as earliest from message_order where account_id = $1`,
      [accountId],
    );
    expect(await counts(accountId)).toEqual({ queued: expect.any(Number), scheduled: expect.any(Number) });
    expect(row?.latest.getTime()).toBeLessThan(row?.earliest.getTime() ?? 0);
  });

  test('are found by their status, however many newer messages there are', async () => {
    const accountId = await ledger.account(9_000);
    const messages = await schedule(accountId, 20, inOneHour());
    const newer = Array.from({ length: 8_000 }, () => ledger.message());
    for (let n = 0; n < 8_000; n += 1_000) await ledger.accept(accountId, [batchOf(newer.slice(n, n + 1_000))]);
    await cancelOrders(ledger.database, accountId, [messages[3]?.id ?? '']);
    const filters = { state: 'scheduled' as const };
    const first = await findOrders(ledger.database, accountId, { page: 1, limit: 10 }, filters);
    const wanted = messages.filter((_, n) => n !== 3).map(({ id }) => id);
    expect(first).toMatchObject({ total: 19, isCapped: false });
    const second = await findOrders(ledger.database, accountId, { page: 1, limit: 10, before: first.next }, filters);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(wanted.reverse());
    expect(first.items.every(({ sendAt }) => sendAt !== undefined)).toBe(true);
    expect(second.next).toBeUndefined();
  });
});
