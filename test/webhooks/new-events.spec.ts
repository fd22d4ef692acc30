import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Database, Queryable } from '#persistence';
import { EventReader } from '../../apps/webhooks/event-reader.js';
import { EventStream } from '../../apps/webhooks/event-stream.js';
import { NewEvents } from '../../apps/webhooks/new-events.js';
import { eventually } from '../support/eventually.js';
import { TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
/** Its statements fail while `isRefused`. */
let database: Database;
let newEvents: NewEvents;
let nowMs = 0;
let isRefused = false;
let accountIds: string[];
beforeEach(async () => {
  ledger = await TestLedger.create();
  const query: Database['query'] = async <Row>(sql: string, parameters?: readonly unknown[]) => {
    if (isRefused) throw new Error('the connection was lost');
    return ledger.database.query<Row>(sql, parameters);
  };
  database = Object.assign(Object.create(ledger.database) as Database, { query });
  newEvents = new NewEvents(database, () => nowMs);
  accountIds = [await ledger.account(0), await ledger.account(0), await ledger.account(0)];
  for (const accountId of accountIds) {
    await ledger.database.query("insert into event_wish (account_id, types) values ($1, '{balance.low}')", [accountId]);
  }
});
afterEach(() => ledger.close());

const happenTo = (accountId: string | undefined, database: Queryable = ledger.database) =>
  database.query(`select write_account_event($1, 'balance.low', '{}')`, [accountId]);

/** Looks until looks tell of single accounts, and no transaction of another spec is open: its end would hide them. */
const looksKnow = (accountIds: unknown = expect.anything()) =>
  eventually(async () => {
    const look = await newEvents.look();
    expect(look).toMatchObject({ accountIds, oldest: look.next });
  });

/** Looks until nothing is new: while a transaction of another spec goes on, what came meanwhile is found again. */
const untilNothingIsNew = () => looksKnow(new Set());

/** What looks find until they have found the last one. */
async function foundUntil(last: string | undefined): Promise<string[]> {
  const found: string[] = [];
  await eventually(async () => {
    const { accountIds: more } = await newEvents.look();
    expect(more).toBeDefined();
    found.push(...(more ?? []));
    expect(found).toContain(last);
  });
  return found;
}

test('a first look cannot know who has events', async () => {
  expect(await newEvents.look()).toMatchObject({ accountIds: undefined });
});

test('looks find each account with new events once, and no other one', async () => {
  const [first, second, third] = accountIds;
  await happenTo(first);
  await untilNothingIsNew();
  await happenTo(second);
  await happenTo(second);
  expect(await foundUntil(second)).toEqual([second]);
  await untilNothingIsNew();
  await happenTo(third);
  expect(await foundUntil(third)).toEqual([third]);
});

test('an event of a transaction that commits late is found, with those that it held back', async () => {
  const [late, next, last] = accountIds;
  await looksKnow();
  await ledger.database.transaction(async (transaction) => {
    await happenTo(late, transaction);
    await happenTo(next);
    expect(await newEvents.look()).toMatchObject({ accountIds: new Set() });
    expect(await newEvents.look()).toMatchObject({ accountIds: new Set() });
  });
  await happenTo(last);
  expect((await foundUntil(last)).toSorted()).toEqual([late, next, last].toSorted());
});

test('a look that fails hides nothing', async () => {
  const [account] = accountIds;
  await looksKnow();
  await happenTo(account);
  isRefused = true;
  await expect(newEvents.look()).rejects.toThrow('the connection was lost');
  isRefused = false;
  expect(await foundUntil(account)).toEqual([account]);
});

test('events whose read fails stay to be read', async () => {
  const reads = { database, reader: new EventReader(database), log: pino({ level: 'silent' }), now: Date.now };
  const webhook = { endpointId: 'we_0123456789abcdef', accountId: accountIds[0] ?? '' };
  const stream = new EventStream(reads, webhook, { xid: '0', batchId: '0', index: 0 });
  isRefused = true;
  await expect(stream.next()).rejects.toThrow('the connection was lost');
  isRefused = false;
  expect(stream.isBehind).toBe(true);
  expect(await stream.next()).toEqual([]);
  expect(stream.isBehind).toBe(false);
});

test('from time to time any account may have new events', async () => {
  await looksKnow();
  nowMs += 10_000;
  expect(await newEvents.look()).toMatchObject({ accountIds: undefined });
  await looksKnow();
});

test('when the clock of the database is set back, any account may have new events', async () => {
  await looksKnow();
  await ledger.database.query(
    `create or replace function event_batch_id_at(p_at timestamptz) returns bigint language sql immutable as $$
       select (extract(epoch from p_at - interval '1 hour') * 1000)::bigint << 20 $$`,
  );
  expect(await newEvents.look()).toMatchObject({ accountIds: undefined });
  await looksKnow();
});
