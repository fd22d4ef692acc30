import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidV7 } from 'uuid';
import {
  accountFigures,
  completeBatches,
  findOrders,
  type PricedMessage,
  purgeExpired,
  retainNextSlice,
  setRetention,
  verifyLedger,
} from '#persistence';
import { answer, batchOf, receiptFor, TestLedger } from '../support/test-ledger.js';
import { webhookTo } from '../support/webhooks.js';

const PER_SLICE = 3;
const FINGERPRINT = Buffer.alloc(32, 7);

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
  await setRetention(ledger.database, { textDays: null, rowDays: 30 });
});
afterAll(() => ledger.close());

/** Accepts a batch of the account and hands back its messages. */
async function queued(accountId: string, segments: readonly number[]): Promise<PricedMessage[]> {
  const messages = segments.map((count) => ledger.message(count));
  expect(await ledger.accept(accountId, [batchOf(messages)])).toEqual([{ kind: 'accepted' }]);
  return messages;
}

/** Submits whole messages in one write; then all of them have receipts. */
async function ended(messages: readonly PricedMessage[], state: 'delivered' | 'undelivered' = 'delivered') {
  const orders = await ledger.claim(messages.map(({ id }) => id));
  expect(orders).toHaveLength(messages.length);
  await ledger.record(orders.map((order) => answer(order, 1, 'accepted')));
  await ledger.settle(messages.map((message) => receiptFor(message, 1, state)));
}

async function refused(messages: readonly PricedMessage[]) {
  const orders = await ledger.claim(messages.map(({ id }) => id));
  await ledger.record(orders.map((order) => answer(order, 1, 'refused')));
}

/** Everything of the account happened so long ago. */
async function age(accountId: string, days: number, upToSequence = 1_000_000) {
  await ledger.database.query(
    `update message_order set created_at = created_at - p, final_at = final_at - p, sent_at = sent_at - p
       from make_interval(days => $2) p where account_id = $1 and sequence <= $3`,
    [accountId, days, upToSequence],
  );
}

/** As the scheduled job does it; the ledger is looked at after every slice. */
async function retainAll(): Promise<{ texts: number; messages: number }> {
  const done = { texts: 0, messages: 0 };
  let after = '0';
  for (let n = 0; n < 500; n += 1) {
    const slice = await retainNextSlice(ledger.database, after, PER_SLICE);
    if (slice.accountId === undefined) return done;
    done.texts += slice.texts;
    done.messages += slice.messages;
    if (slice.messages < PER_SLICE && slice.texts < PER_SLICE) after = slice.accountId;
    await ledger.expectClean();
  }
  throw new Error('retention does not come to an end');
}

const listed = async (accountId: string, page = 1, limit = 4) => {
  const { items, total } = await findOrders(ledger.database, accountId, { page, limit });
  return { ids: items.map(({ id }) => id), texts: items.map(({ message }) => message), total };
};
const rowsOf = async (table: string, ids: readonly string[]) =>
  (await ledger.database.query(`select from ${table} where message_id = any($1)`, [ids])).length;

async function failing(): Promise<string[]> {
  const { checks } = await verifyLedger(ledger.database);
  return checks.filter(({ offenders }) => offenders > 0).map(({ name }) => name);
}

describe('messages whose time is over', () => {
  let accountId: string;
  let old: PricedMessage[];
  let recent: PricedMessage[];
  let before: Awaited<ReturnType<typeof accountFigures>>;

  beforeAll(async () => {
    accountId = await ledger.account(100);
    const first = await queued(accountId, [1, 1, 1, 1, 1]);
    const second = await queued(accountId, [1, 1]);
    const third = await queued(accountId, [1, 1, 1, 1]);
    // One capture, one release and one reservation each hold messages on both sides of what will be dropped.
    await ended([...first.slice(0, 3), ...third.slice(2)]);
    await refused([...second.slice(0, 1), ...third.slice(1, 2)]);
    await ended([...first.slice(3), ...second.slice(1), ...third.slice(0, 1)], 'undelivered');
    old = [...first, ...second, ...third.slice(0, 1)];
    recent = third.slice(1);
    await age(accountId, 31, old.length);
    before = await accountFigures(ledger.database, accountId);
    await ledger.expectClean();
    expect(await retainAll()).toEqual({ texts: 0, messages: old.length });
  });

  test('are gone with their segments and changes of state', async () => {
    const ids = old.map(({ id }) => id);
    expect([await rowsOf('segment', ids), await rowsOf('order_transition', ids)]).toEqual([0, 0]);
    await expect(ledger.find(ids[0] ?? '')).rejects.toThrow('there is no message');
  });

  test('stay in every total of the account', async () => {
    expect(await accountFigures(ledger.database, accountId)).toEqual(before);
    expect(before.orderCount).toBe(11n);
  });

  test('leave the pages of the others as they were, and are not counted in the list', async () => {
    const newestFirst = recent.map(({ id }) => id).reverse();
    expect(await listed(accountId, 1, 2)).toMatchObject({ ids: newestFirst.slice(0, 2), total: 3 });
    expect(await listed(accountId, 2, 2)).toMatchObject({ ids: newestFirst.slice(2), total: 3 });
    expect(await listed(accountId, 3, 2)).toMatchObject({ ids: [], total: 3 });
  });

  test('are followed by new ones without a gap, and by those that were recent when their time comes', async () => {
    const later = await queued(accountId, [2, 1]);
    expect(await listed(accountId)).toMatchObject({ total: 5 });
    await ledger.expectClean();
    await age(accountId, 31, 11);
    expect(await retainAll()).toEqual({ texts: 0, messages: 3 });
    expect(await listed(accountId)).toMatchObject({ ids: later.map(({ id }) => id).reverse(), total: 2 });
    // Every capture and release is whole again, so nothing of them is remembered one by one.
    expect(await ledger.database.query('select from retired_part where account_id = $1', [accountId])).toEqual([]);
  });

  test.each([
    ['an amount', 'update account_retired set amount = amount + 1', 'consumed'],
    ['a price', 'update account_retired set price = price - 1', 'reserved_once'],
    ['what was captured', 'update account_retired set captured = captured + 1', 'capture_entries'],
    ['how many were captured', 'update account_retired set captures = captures - 1', 'capture_entries'],
    ['what was released', 'update account_retired set released = released + 1', 'release_entries'],
    ['how many there were', 'update account_retired set last_sequence = last_sequence - 1', 'sequences'],
    ['more than there were', 'update account_retired set last_sequence = last_sequence + 100', 'retired'],
    ['everything', 'delete from account_retired', 'consumed'],
    ['a part of no entry', 'insert into retired_part select account_id, 1, 1, 1 from account_retired', 'retired'],
  ])('cannot be remembered wrongly without being noticed: %s', async (_what, statement, check) => {
    const tables = ['account_retired', 'retired_part'];
    for (const table of tables) await ledger.database.query(`create table saved_${table} as table ${table}`);
    try {
      await ledger.database.query(statement);
      expect(await failing()).toContain(check);
    } finally {
      await ledger.database.query(`truncate ${tables.join(', ')}`);
      for (const table of tables) {
        await ledger.database.query(`insert into ${table} select * from saved_${table}`);
        await ledger.database.query(`drop table saved_${table}`);
      }
    }
    await ledger.expectClean();
  });
});

describe('retention keeps', () => {
  test('an open message, and everything after it', async () => {
    const accountId = await ledger.account(10);
    const [first, open, after] = (await queued(accountId, [1, 1, 1])) as [PricedMessage, PricedMessage, PricedMessage];
    await ended([first, after]);
    await age(accountId, 90);
    expect(await retainAll()).toEqual({ texts: 0, messages: 1 });
    expect((await listed(accountId)).ids).toEqual([after.id, open.id]);
    await ended([open]);
    await age(accountId, 90);
    expect(await retainAll()).toEqual({ texts: 0, messages: 2 });
  });

  test('every message of a batch whose end is still to be told, so that the event counts all of them', async () => {
    const accountId = await ledger.account(10);
    await webhookTo(ledger.database, accountId, 'https://example.com/', ['batch.completed']);
    const [single] = (await queued(accountId, [1])) as [PricedMessage];
    const messages = [ledger.message(), ledger.message(), ledger.message()];
    await ledger.accept(accountId, [{ ...batchOf(messages), batchId: uuidV7() }]);
    await ended([single, ...messages.slice(0, 2)]);
    await age(accountId, 31);
    expect(await retainAll()).toEqual({ texts: 0, messages: 1 });
    await ended(messages.slice(2));
    await completeBatches(ledger.database);
    const told = await ledger.database.query('select data from event_batch where account_id = $1', [accountId]);
    expect(told).toMatchObject([{ data: { messages: 3, byStatus: { delivered: 3 }, amount: 0.03 } }]);
    await age(accountId, 31);
    expect(await retainAll()).toEqual({ texts: 0, messages: 3 });
  });

  test('an unknown message for as long as a receipt may come for it', async () => {
    await setRetention(ledger.database, { rowDays: 7 });
    const accountId = await ledger.account(10);
    const [message] = (await queued(accountId, [1])) as [PricedMessage];
    await ledger.record((await ledger.claim([message.id])).map((order) => answer(order, 1, 'accepted')));
    await ledger.age(message.id, 4_000);
    await ledger.sweep();
    expect(await ledger.state(message.id)).toBe('unknown');
    await age(accountId, 20);
    expect(await retainAll()).toEqual({ texts: 0, messages: 0 });
    await ledger.settle([receiptFor(message, 1, 'delivered')]);
    expect(await ledger.state(message.id)).toBe('delivered');
    await age(accountId, 20);
    expect(await retainAll()).toEqual({ texts: 0, messages: 1 });
    await setRetention(ledger.database, { rowDays: 30 });
  });

  test('what somebody is working on, without waiting for it', async () => {
    const accountId = await ledger.account(10);
    const [first, second] = (await queued(accountId, [1, 1])) as [PricedMessage, PricedMessage];
    await ended([first, second]);
    await age(accountId, 31);
    await ledger.database.transaction(async (other) => {
      await other.query('select from message_order where id = $1 for update', [second.id]);
      expect(await retainAll()).toEqual({ texts: 0, messages: 1 });
    });
    expect(await retainAll()).toEqual({ texts: 0, messages: 1 });
  });

  test('the messages of a request as long as its key, so that a repeat is never charged again', async () => {
    const accountId = await ledger.account(10);
    const keyed = (message: PricedMessage) => batchOf([message], { key: 'old', fingerprint: FINGERPRINT });
    const message = ledger.message();
    await ledger.accept(accountId, [keyed(message)]);
    await ended([message]);
    await age(accountId, 31);
    await ledger.database.query("update idempotency_key set created_at = created_at - interval '31 days'");
    expect(await retainAll()).toEqual({ texts: 0, messages: 0 });
    expect(await ledger.accept(accountId, [keyed(ledger.message())])).toMatchObject([{ kind: 'replayed' }]);
    await purgeExpired(ledger.database, 30 * 24);
    expect(await retainAll()).toEqual({ texts: 0, messages: 1 });
  });
});

describe('texts whose time is over', () => {
  test('are listed as empty, and the ledger knows why', async () => {
    const accountId = await ledger.account(20);
    const messages = await queued(accountId, [1, 1, 1, 2]);
    await ended(messages.slice(0, 3));
    await age(accountId, 10);
    expect(await retainAll()).toEqual({ texts: 0, messages: 0 });
    await setRetention(ledger.database, { textDays: 5 });
    expect(await retainAll()).toMatchObject({ texts: 3, messages: 0 });
    expect((await listed(accountId)).texts).toEqual([messages[3]?.message, '', '', '']);
    await ledger.database.query(`update message_order set message = 'x' where id = $1`, [messages[0]?.id]);
    expect(await failing()).toEqual(['prices']);
    await ledger.database.query(`update message_order set message = '' where id = $1`, [messages[0]?.id]);
    await age(accountId, 31, 3);
    expect(await retainAll()).toEqual({ texts: 0, messages: 3 });
    await setRetention(ledger.database, { textDays: null });
  });

  test('cannot be kept longer than their messages, nor messages less than a week', async () => {
    await expect(setRetention(ledger.database, { textDays: 31 })).rejects.toThrow('longer than its message');
    await expect(setRetention(ledger.database, { rowDays: 6 })).rejects.toThrow('7 to 36500 days');
    await expect(setRetention(ledger.database, { textDays: 0 })).rejects.toThrow('1 to 36500 days');
  });
});

test('dropping beside accepting and receipts costs nobody an answer and the ledger nothing', async () => {
  const accountId = await ledger.account(1_000);
  const old = await queued(accountId, Array(60).fill(1));
  await ended(old);
  await age(accountId, 31);
  let isOver = false;
  const accepting = (async () => {
    let accepted = 0;
    while (!isOver || accepted < 20) {
      expect(await ledger.accept(accountId, [ledger.message()])).toEqual([{ kind: 'accepted' }]);
      accepted += 1;
      if (accepted > 800) throw new Error('retention does not come to an end');
    }
    return accepted;
  })();
  // Two workers drop, and late receipts come for what they drop.
  const dropping = Promise.all([0, 1].map(() => dropUntilNothing(accountId)));
  const receipts = (async () => {
    for (const message of old) await ledger.settle([receiptFor(message, 1, 'delivered')]);
  })();
  await Promise.all([dropping, receipts]);
  isOver = true;
  const accepted = await accepting;
  await ledger.expectClean();
  expect((await listed(accountId)).total).toBe(accepted);
  expect((await ledger.figures(accountId)).messages).toBe(accepted + 60);
});

async function dropUntilNothing(accountId: string): Promise<void> {
  for (let n = 0; n < 2_000; n += 1) {
    const [row] = await ledger.database.query<{ last: string }>(
      'select coalesce(max(last_sequence), 0) as last from account_retired where account_id = $1',
      [accountId],
    );
    if (row?.last === '60') return;
    await retainNextSlice(ledger.database, '0', PER_SLICE);
  }
  throw new Error('retention does not come to an end');
}
