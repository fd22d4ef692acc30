import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { loadConfig } from '#config';
import { type Database, SettleReceipts } from '#persistence';
import { waitAtMost } from '#timing';
import { DispatchWrites } from '../../apps/worker/dispatch/dispatch-writes.js';
import { OwnedOrders } from '../../apps/worker/dispatch/owned-orders.js';
import { WorkerMetrics } from '../../apps/worker/operations/worker-metrics.js';
import { submitting } from '../persistence/submitted-orders.js';
import { eventually } from '../support/eventually.js';
import { answer, receiptFor, TestLedger } from '../support/test-ledger.js';

/** Longer than receipts are gathered. */
const SLOW_WRITE_MS = 150;
/** So long a receipt waits for its answer. */
const RECEIPT_WAIT_MS = 5_000;

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

/** What a statement writes: claims, answers or receipts. */
function kindsOf(sql: string, parameters: readonly unknown[] = []): string {
  if (!sql.includes('write_dispatch')) return /settle_receipts/.exec(sql)?.[0] ?? sql;
  // The arrays of ids of `writeDispatch`.
  const ids = { claims: parameters[3], answers: parameters[11] };
  return Object.entries(ids)
    .flatMap(([kind, array]) => (array === '{}' ? [] : kind))
    .join(' and ');
}

/** The database as it is when it writes answers of the carrier slowly, and maybe refuses them. */
function writesAnswersSlowly({ isRefused = false, begun = [] as string[] } = {}): Database {
  const { database } = ledger;
  const query: Database['query'] = async (sql, parameters) => {
    const kinds = kindsOf(sql, parameters);
    begun.push(kinds);
    if (kinds.includes('answers')) {
      await delay(SLOW_WRITE_MS);
      if (isRefused) throw Object.assign(new Error('malformed'), { code: '22P02' });
    }
    return database.query(sql, parameters);
  };
  return Object.assign(Object.create(database) as Database, { query });
}

/** The database as it is when it cannot be reached to write answers. */
function awayWhile(isAway: () => boolean): Database {
  const { database } = ledger;
  const fault = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const query: Database['query'] = async (sql, parameters) => {
    if (sql.includes('write_dispatch') && isAway()) throw fault();
    return database.query(sql, parameters);
  };
  const transaction: Database['transaction'] = async (work) => {
    if (isAway()) throw fault();
    return database.transaction(work);
  };
  return Object.assign(Object.create(database) as Database, { query, transaction });
}

const log = pino({ level: 'silent' });

async function start(database: Database, settings: Readonly<Record<string, string>> = {}) {
  const config = loadConfig({ DATABASE_URL: ledger.url, ...settings });
  const metrics = new WorkerMetrics();
  const owned = new OwnedOrders(database, config, 'worker-1', log);
  const writes = new DispatchWrites(database, config, 'worker-1', metrics, owned);
  const receipts = new SettleReceipts(database, config.IN_DOUBT_WAIT_SECONDS, {
    metrics,
    write: (receipts, write) => writes.writeReceipts(receipts, write),
    stored: ({ name }, { carrierMessageId }, tookMs) => writes.receiptStored(name, carrierMessageId, tookMs),
  });
  const unmatched = async () =>
    (await metrics.unmatchedReceipts.get()).values.reduce((sum, { value }) => sum + value, 0);
  return { writes, receipts, unmatched, metrics };
}

test('a receipt that is here before the answer to its message is written waits for it, and is never stored as unmatched', async () => {
  const { order } = await submitting(ledger);
  const { writes, receipts, unmatched } = await start(writesAnswersSlowly());
  const recorded = writes.record(answer(order, 1, 'accepted'));
  await receipts.settle({ carrierId: ledger.carrierId, name: 'carrier' }, receiptFor(order, 1, 'delivered'));
  expect(await ledger.state(order.id)).toBe('delivered');
  expect(await unmatched()).toBe(0);
  await recorded;
  await ledger.expectClean();
});

test('the time from an answer to its receipt is measured, also when the carrier sends both at once', async () => {
  const { order } = await submitting(ledger);
  const { writes, receipts, metrics } = await start(ledger.database);
  // Of two PDUs in one chunk, an adapter hands the receipt over before anybody has heard of the answer.
  const settled = receipts.settle({ carrierId: ledger.carrierId, name: 'carrier' }, receiptFor(order, 1, 'delivered'));
  await writes.record(answer(order, 1, 'accepted'));
  await settled;
  expect(await ledger.state(order.id)).toBe('delivered');
  const { values } = await metrics.receiptWaitSeconds.get();
  expect(values.filter(({ metricName }) => metricName?.endsWith('_count'))).toMatchObject([{ value: 1 }]);
});

test('it waits for no answer to another message', async () => {
  const [first, later, other] = [await submitting(ledger), await submitting(ledger), await submitting(ledger)];
  await ledger.record([answer(other.order, 1, 'accepted')]);
  const begun: string[] = [];
  const { writes, receipts } = await start(writesAnswersSlowly({ begun }));
  const recorded = [writes.record(answer(first.order, 1, 'accepted'))];
  await eventually(() => expect(begun).toEqual(['answers']));
  recorded.push(writes.record(answer(later.order, 1, 'accepted')));
  await receipts.settle({ carrierId: ledger.carrierId, name: 'carrier' }, receiptFor(other.order, 1, 'delivered'));
  expect(await ledger.state(other.order.id)).toBe('delivered');
  await Promise.all(recorded);
  expect(begun).toEqual(['answers', 'settle_receipts', 'answers']);
});

test('a claim that comes during a write waits until it is over', async () => {
  const { order } = await submitting(ledger);
  const begun: string[] = [];
  const { writes } = await start(writesAnswersSlowly({ begun }));
  const recorded = writes.record(answer(order, 1, 'accepted'));
  await eventually(() => expect(begun).toEqual(['answers']));
  let isWritten = false;
  void recorded.then(() => {
    isWritten = true;
  });
  const format = { text: 'smpp', unit: 'segment' } as const;
  await writes.claim(randomUUID(), ledger.carrierId, format);
  expect(isWritten).toBe(true);
  expect(begun.slice(0, 2)).toEqual(['answers', 'claims']);
});

test('a write that waits for a row of another transaction does not keep the others waiting', async () => {
  const { order } = await submitting(ledger);
  await ledger.record([answer(order, 1, 'accepted')]);
  const begun: string[] = [];
  const { writes, receipts } = await start(writesAnswersSlowly({ begun }));
  const holder = new pg.Client(ledger.url);
  await holder.connect();
  let isSettled = false;
  try {
    await holder.query('begin');
    await holder.query('select from message_order where id = $1 for update', [order.id]);
    const settled = receipts
      .settle({ carrierId: ledger.carrierId, name: 'carrier' }, receiptFor(order, 1, 'delivered'))
      .finally(() => {
        isSettled = true;
      });
    await eventually(() => expect(begun).toEqual(['settle_receipts']));
    await writes.claim(randomUUID(), ledger.carrierId, { text: 'smpp', unit: 'segment' });
    expect(isSettled).toBe(false);
    await holder.query('commit');
    await settled;
  } finally {
    await holder.end();
  }
  expect(await ledger.state(order.id)).toBe('delivered');
});

test('an answer that is held keeps no receipt back', async () => {
  const [held, other] = [await submitting(ledger), await submitting(ledger)];
  await ledger.record([answer(other.order, 1, 'accepted')]);
  const { writes, receipts } = await start(ledger.database);
  const holder = new pg.Client(ledger.url);
  await holder.connect();
  let recorded: Promise<void> | undefined;
  try {
    await holder.query('begin');
    await holder.query('select from account_balance where account_id = $1 for update', [held.account]);
    recorded = writes.record(answer(held.order, 1, 'accepted'));
    const settled = [held, other].map(({ order }) =>
      receipts.settle({ carrierId: ledger.carrierId, name: 'carrier' }, receiptFor(order, 1, 'delivered')),
    );
    await waitAtMost(RECEIPT_WAIT_MS / 2, Promise.all(settled));
    expect(await ledger.state(other.order.id)).toBe('delivered');
    expect(await ledger.state(held.order.id)).toBe('sending');
  } finally {
    await holder.end();
  }
  await recorded;
  await eventually(async () => expect(await ledger.state(held.order.id)).toBe('delivered'));
});

test('an answer that the database refuses keeps no receipt back', async () => {
  const { order } = await submitting(ledger);
  const { writes, receipts, unmatched } = await start(writesAnswersSlowly({ isRefused: true }));
  const recorded = expect(writes.record(answer(order, 1, 'accepted'))).rejects.toThrow('malformed');
  await receipts.settle({ carrierId: ledger.carrierId, name: 'carrier' }, receiptFor(order, 1, 'delivered'));
  expect(await unmatched()).toBe(1);
  await recorded;
});

test('an answer that the database does not take for a while keeps its receipt back for seconds, and both count', async () => {
  const { order } = await submitting(ledger);
  let isAway = true;
  const { writes, receipts, unmatched } = await start(awayWhile(() => isAway));
  const recorded = writes.record(answer(order, 1, 'accepted'));
  await receipts.settle({ carrierId: ledger.carrierId, name: 'carrier' }, receiptFor(order, 1, 'delivered'));
  expect(await unmatched()).toBe(1);
  isAway = false;
  await recorded;
  expect(await ledger.state(order.id)).toBe('delivered');
});

test('an answer is written when the database is back, also after the lease of its message', async () => {
  const { order } = await submitting(ledger);
  const backMs = performance.now() + 4_000;
  const { writes } = await start(
    awayWhile(() => performance.now() < backMs),
    { CLAIM_LEASE_SECONDS: '3' },
  );
  const recorded = writes.record(answer(order, 1, 'accepted'));
  // Meanwhile another worker's reconciler may have found that the lease is over.
  await ledger.age(order.id, 61);
  await ledger.sweep();
  expect((await ledger.find(order.id)).segments).toMatchObject([{ state: 'in_doubt' }]);
  await recorded;
  expect(await ledger.state(order.id)).toBe('sent');
  await ledger.expectClean();
});
