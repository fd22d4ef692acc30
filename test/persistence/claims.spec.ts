import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { assignConcatenationReferences, renewLeases } from '#persistence';
import { recordIntents } from '../support/dispatch-steps.js';
import { eventually } from '../support/eventually.js';
import { answer, batchOf, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterEach(() => ledger.expectClean());
afterAll(() => ledger.close());

async function queuedIds(count: number, segments = 1): Promise<string[]> {
  const messages = Array.from({ length: count }, () => ledger.message(segments));
  const account = await ledger.account(count * segments);
  expect(await ledger.accept(account, [batchOf(messages)])).toEqual([{ kind: 'accepted' }]);
  return messages.map(({ id }) => id);
}

const shuffled = <T>(items: readonly T[]) =>
  items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);

describe('an order has one owner', () => {
  test('a claim counts the epoch up, lists the open segments and records the intent for the first', async () => {
    const [id = ''] = await queuedIds(1, 3);
    const order = await ledger.claimed(id);
    expect(order).toMatchObject({ epoch: 1, segments: 3, openPositions: [1, 2, 3], concatenationReference: null });
    const record = await ledger.find(id);
    expect(record).toMatchObject({ state: 'sending', attempts: 1 });
    expect(record.segments.map(({ position, state }) => [position, state])).toEqual([[1, 'submitting']]);
    expect(await ledger.claim([id], { workerId: 'worker-2' })).toEqual([]);
  });

  test('two workers that claim the same orders in any order never both get one, and never block each other for ever', async () => {
    for (let round = 0; round < 15; round += 1) {
      const ids = await queuedIds(60);
      const claims = await Promise.all(
        Array.from({ length: 6 }, (_, worker) =>
          ledger.claim(shuffled([...ids, ...ids.slice(0, 20)]), { workerId: `worker-${worker}` }),
        ),
      );
      const claimed = claims.flat().map(({ id }) => id);
      expect(claimed.sort()).toEqual([...ids].sort());
    }
  });

  test('claims, answers, receipts, leases and sweeps of the same orders, all at once, end without a deadlock', async () => {
    const before = await deadlocks();
    const ids = await queuedIds(80);
    const orders = await ledger.claim(ids);
    await Promise.all(
      Array.from({ length: 40 }, (_, turn) => {
        const some = shuffled(orders).slice(0, 50);
        const someIds = some.map(({ id }) => id);
        if (turn % 5 === 0) return renewLeases(ledger.database, 'worker-1', someIds, 60);
        if (turn % 5 === 1) return ledger.claim(someIds, { workerId: 'worker-2' });
        if (turn % 5 === 2) return ledger.sweep();
        const kind = turn % 5 === 3 ? 'pending' : 'accepted';
        return ledger.record(some.map((order) => answer(order, 1, kind, { done: kind === 'accepted' })));
      }),
    );
    expect(await deadlocks()).toBe(before);
  });

  async function deadlocks(): Promise<string | undefined> {
    await ledger.database.query('select pg_stat_force_next_flush()');
    const [row] = await ledger.database.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    return row?.deadlocks;
  }

  test('an order whose time to be tried again has not come, or whose validity is over, cannot be claimed', async () => {
    const [later = '', over = ''] = await queuedIds(2);
    const order = await ledger.claimed(later);
    await ledger.record([answer(order, 1, 'pending', { retryAfterMs: 5_000 })]);
    await ledger.age(over, 3_601);
    expect(await ledger.claim([later, over])).toEqual([]);
    await ledger.age(later, 6);
    expect(await ledger.claimed(later)).toMatchObject({ epoch: 2, openPositions: [1] });
  });

  test('a lease is extended for its owner alone, and not once it has run out', async () => {
    const [mine = '', expired = '', foreign = ''] = await queuedIds(3);
    await ledger.claim([mine, expired], { workerId: 'me' });
    await ledger.claim([foreign], { workerId: 'other' });
    await ledger.age(expired, 61);
    const renewed = await renewLeases(ledger.database, 'me', [foreign, expired, mine], 60);
    expect([...renewed]).toEqual([mine]);
  });

  test('an order that somebody holds keeps no other lease from being renewed', async () => {
    const [held = '', free = ''] = await queuedIds(2);
    await ledger.claim([held, free], { workerId: 'me' });
    const holder = new pg.Client(ledger.url);
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('select from message_order where id = $1 for update', [held]);
      const renewed = renewLeases(ledger.database, 'me', [held, free], 600);
      await eventually(
        async () => {
          const long = await ledger.database.query<{ id: string }>(
            "select id from message_order where id = any($1) and lease_until > now() + interval '300 seconds'",
            [[held, free]],
          );
          expect(long).toEqual([{ id: free }]);
        },
        { timeoutMs: 10_000 },
      );
      await holder.query('commit');
      expect(await renewed).toEqual(new Set([free, held]));
    } finally {
      await holder.end();
    }
  });
});

describe('an epoch fences who has lost an order', () => {
  async function takenOver(): Promise<{ old: { id: string; epoch: number }; now: { id: string; epoch: number } }> {
    const [id = ''] = await queuedIds(1, 2);
    const old = await ledger.claimed(id, { workerId: 'old' });
    await ledger.age(id, 61);
    await ledger.sweep();
    await ledger.age(id, 31);
    await ledger.sweep();
    expect(await ledger.state(id)).toBe('queued');
    return { old, now: await ledger.claimed(id, { workerId: 'new' }) };
  }

  test('its late answers change nothing', async () => {
    const { old, now } = await takenOver();
    for (const kind of ['accepted', 'refused', 'pending', 'in_doubt'] as const) {
      expect(await ledger.record([answer(old, 1, kind)])).toEqual([]);
    }
    expect(await ledger.state(old.id)).toBe('sending');
    await ledger.record([answer(now, 1, 'accepted', { done: false }), answer(now, 2, 'pending')]);
    expect((await ledger.find(old.id)).segments.map(({ state, attempt }) => [state, attempt])).toEqual([
      ['accepted', 2],
    ]);
  });

  test('it is told not to write further segments', async () => {
    const { old, now } = await takenOver();
    const intent = (epoch: number) => ({ id: now.id, position: 2, epoch, carrierId: ledger.carrierId });
    expect(await recordIntents(ledger.database, [intent(old.epoch)])).toEqual([false]);
    expect(await recordIntents(ledger.database, [intent(now.epoch)])).toEqual([true]);
    expect(await recordIntents(ledger.database, [intent(now.epoch)])).toEqual([false]);
  });

  test('so is an owner whose lease is over, before anybody took the order from it', async () => {
    const [id = ''] = await queuedIds(1, 2);
    const order = await ledger.claimed(id);
    await ledger.age(id, 61);
    const intent = { id, position: 2, epoch: order.epoch, carrierId: ledger.carrierId };
    expect(await recordIntents(ledger.database, [intent])).toEqual([false]);
  });
});

describe('long messages to one handset are told apart', () => {
  test('their references count up per recipient, through 255 to 0, and stay with the message', async () => {
    const account = await ledger.account(300 * 2);
    const messages = Array.from({ length: 300 }, () => ledger.message(2, { destination: '46700000001' }));
    await ledger.accept(account, [batchOf(messages)]);
    const ids = messages.map(({ id }) => id);
    const given: number[] = [];
    for (const part of [ids.slice(0, 100), ids.slice(100, 101), ids.slice(101)]) {
      const references = await assignConcatenationReferences(ledger.database, part);
      given.push(...part.map((id) => references.get(id) ?? -1));
    }
    expect(given).toEqual(given.map((_, index) => ((given[0] ?? 0) + index) % 256));
    expect(given[299]).toBe(given[43]);
    expect((await ledger.claimed(ids[7] ?? '')).concatenationReference).toBe(given[7]);
    expect(await assignConcatenationReferences(ledger.database, [ids[7] ?? ''])).toEqual(new Map());
  });
});

test('a claim moves no money', async () => {
  const account = await ledger.account(2);
  const { id } = await ledger.queued(account, 2);
  await ledger.claimed(id);
  expect(await ledger.figures(account)).toMatchObject({ reserved: 2n * SEGMENT_PRICE, captured: 0n });
});
