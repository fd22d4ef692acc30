import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import type { SubmitSlot } from '#carrier';
import { loadConfig } from '#config';
import type { Database } from '#persistence';
import { DispatchWrites } from '../../apps/worker/dispatch/dispatch-writes.js';
import { OwnedOrders } from '../../apps/worker/dispatch/owned-orders.js';
import { WorkerMetrics } from '../../apps/worker/operations/worker-metrics.js';
import { submitting } from '../persistence/submitted-orders.js';
import { eventually } from '../support/eventually.js';
import { answer, TestLedger } from '../support/test-ledger.js';

const SMPP = { text: 'smpp', unit: 'segment' } as const;

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

/** @returns the writes, and the arrays of ids of each one that was begun: of claims, intents and answers */
function start() {
  const begun: { claims: unknown; intents: unknown; answers: unknown }[] = [];
  const { database } = ledger;
  const query: Database['query'] = async (sql, parameters = []) => {
    if (sql.includes('write_dispatch')) {
      begun.push({ claims: parameters[3], intents: parameters[7], answers: parameters[11] });
    }
    return database.query(sql, parameters);
  };
  const config = loadConfig({ DATABASE_URL: ledger.url });
  const owned = new OwnedOrders(database, config, 'worker-1', pino({ level: 'silent' }));
  const watched = Object.assign(Object.create(database) as Database, { query });
  return { begun, writes: new DispatchWrites(watched, config, 'worker-1', new WorkerMetrics(), owned) };
}

/** A slot that does something when it is free. */
function slot(whenFree: () => void): SubmitSlot {
  return { format: SMPP, submit: () => Promise.reject(), another: async () => undefined, release: whenFree };
}

function holding(id: string, during: () => Promise<void>): Promise<void> {
  return holdingRow('select from message_order where id = $1 for update', id, during);
}

function holdingBalance(accountId: string, during: () => Promise<void>): Promise<void> {
  return holdingRow('select from account_balance where account_id = $1 for update', accountId, during);
}

async function holdingRow(lock: string, id: string, during: () => Promise<void>): Promise<void> {
  const holder = new pg.Client(ledger.url);
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(lock, [id]);
    await during();
  } finally {
    await holder.end();
  }
}

async function waitsForBalance(): Promise<boolean> {
  const waiting = await ledger.database.query(
    `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%lock_free_balances%'`,
  );
  return waiting.length > 0;
}

test('an answer, and what takes its slot, are one write', async () => {
  const { order } = await submitting(ledger);
  const long = await ledger.claimed((await ledger.queued(await ledger.account(2), 2)).id);
  const next = await ledger.queued(await ledger.account(1));
  const { writes, begun } = start();
  const others: Promise<unknown>[] = [];
  const { carrierId } = ledger;
  await writes.record(
    answer(order, 1, 'accepted'),
    slot(() => {
      others.push(writes.claim(next.id, carrierId, SMPP));
      others.push(writes.intend({ id: long.id, position: 2, epoch: long.epoch, carrierId }));
    }),
  );
  expect(begun).toEqual([{ claims: `{${next.id}}`, intents: `{${long.id}}`, answers: `{${order.id}}` }]);
  expect(await Promise.all(others)).toEqual([expect.objectContaining({ id: next.id, epoch: 1 }), true]);
  expect(await ledger.state(order.id)).toBe('sent');
});

test('claims for several carriers, and in several formats, are one write', async () => {
  const account = await ledger.account(3);
  const [first, second, whole] = [
    await ledger.queued(account),
    await ledger.queued(account),
    await ledger.queued(account),
  ];
  const other = await ledger.carrier();
  const { writes, begun } = start();
  const claimed = await Promise.all([
    writes.claim(first.id, ledger.carrierId, SMPP),
    writes.claim(second.id, other, SMPP),
    writes.claim(whole.id, ledger.carrierId, { text: 'whole', unit: 'message' }),
    writes.claim(first.id, ledger.carrierId, SMPP),
  ]);
  expect(begun).toHaveLength(1);
  const [asSegments, byOther, asMessage, again] = claimed;
  expect(asSegments).toMatchObject({ id: first.id, whole: false });
  expect(byOther).toMatchObject({ id: second.id });
  expect(asMessage).toMatchObject({ id: whole.id, whole: true });
  expect(again).toBeUndefined();
});

test('an order that two carriers want at once goes to the one for which it is recorded', async () => {
  const carriers = [ledger.carrierId, await ledger.carrier()] as const;
  for (const [first, second] of [carriers, carriers.toReversed()]) {
    const { id } = await ledger.queued(await ledger.account(1));
    const { writes } = start();
    const claims = [first, second].map((carrierId) => writes.claim(id, carrierId ?? 0, SMPP));
    expect(await Promise.all(claims)).toEqual([expect.objectContaining({ id }), undefined]);
    const recorded = await ledger.database.query('select carrier_id from segment where message_id = $1', [id]);
    expect(recorded).toEqual([{ carrier_id: first }]);
  }
});

test('an answer after its deadline counts, if it comes before its message is claimed again', async () => {
  const { order } = await submitting(ledger);
  await ledger.record([answer(order, 1, 'in_doubt')]);
  await ledger.age(order.id, 60);
  await ledger.sweep();
  expect(await ledger.state(order.id)).toBe('queued');
  const { writes } = start();
  const recorded = writes.record(answer(order, 1, 'accepted'));
  const claimed = writes.claim(order.id, ledger.carrierId, SMPP);
  expect(await Promise.all([recorded, claimed])).toEqual([undefined, undefined]);
  expect(await ledger.state(order.id)).toBe('sent');
});

test('a claim that waits for a row of another transaction keeps nothing else waiting', async () => {
  const { order } = await submitting(ledger);
  const { order: later } = await submitting(ledger);
  const account = await ledger.account(2);
  const [held, free] = [await ledger.queued(account), await ledger.queued(account)];
  const { writes } = start();
  let isClaimed = false;
  let claim: Promise<unknown> | undefined;
  await holding(held.id, async () => {
    claim = writes.claim(held.id, ledger.carrierId, SMPP).finally(() => {
      isClaimed = true;
    });
    await writes.record(answer(order, 1, 'accepted'));
    expect(await writes.claim(free.id, ledger.carrierId, SMPP)).toMatchObject({ id: free.id });
    await writes.record(answer(later, 1, 'accepted'));
    expect(isClaimed).toBe(false);
  });
  expect(await claim).toMatchObject({ id: held.id, epoch: 1 });
  expect(await ledger.state(order.id)).toBe('sent');
  await ledger.expectClean();
});

test('an answer to an order that another transaction holds keeps no claim waiting', async () => {
  const { order } = await submitting(ledger);
  const next = await ledger.queued(await ledger.account(1));
  const { writes } = start();
  let isFree = false;
  let recorded: Promise<unknown> | undefined;
  await holding(order.id, async () => {
    recorded = writes.record(
      answer(order, 1, 'accepted'),
      slot(() => {
        isFree = true;
      }),
    );
    expect(isFree).toBe(true);
    expect(await writes.claim(next.id, ledger.carrierId, SMPP)).toMatchObject({ id: next.id });
    expect(await ledger.state(order.id)).toBe('sending');
  });
  await recorded;
  await eventually(async () => expect(await ledger.state(order.id)).toBe('sent'));
});

test('a claim that the database refuses is the only one that fails', async () => {
  const { order } = await submitting(ledger);
  const next = await ledger.queued(await ledger.account(1));
  const { writes } = start();
  const refused = expect(writes.claim('no-uuid', ledger.carrierId, SMPP)).rejects.toMatchObject({ code: '22P02' });
  const written = [writes.record(answer(order, 1, 'accepted')), writes.claim(next.id, ledger.carrierId, SMPP)];
  await refused;
  expect(await Promise.all(written)).toEqual([undefined, expect.objectContaining({ id: next.id })]);
  expect(await ledger.state(order.id)).toBe('sent');
});

test('a balance that stays held keeps no answers waiting for one that is free again', async () => {
  const [stays, ends] = [await submitting(ledger), await submitting(ledger)];
  const { writes } = start();
  // The balance that stays held is the one that has its turn.
  const random = jest.spyOn(Math, 'random').mockReturnValue(0);
  let recorded: Promise<unknown> | undefined;
  await holdingBalance(stays.account, async () => {
    await holdingBalance(ends.account, async () => {
      recorded = Promise.all([stays, ends].map(({ order }) => writes.record(answer(order, 1, 'accepted'))));
      await eventually(async () => expect(await waitsForBalance()).toBe(true));
    });
    await eventually(async () => expect(await ledger.state(ends.order.id)).toBe('sent'));
    expect(await ledger.state(stays.order.id)).toBe('sending');
  });
  await recorded;
  random.mockRestore();
  expect(await ledger.state(stays.order.id)).toBe('sent');
});
