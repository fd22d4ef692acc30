import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  accountUsage,
  findOrders,
  type PricedMessage,
  retainNextSlice,
  rollUpUsage,
  setRetention,
  verifyLedger,
} from '#persistence';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { answer, batchOf, receiptFor, TestLedger } from '../support/test-ledger.js';

/** Chunks of ten messages instead of ten thousand. */
const SMALL_CHUNKS =
  'create or replace function usage_chunk_size() returns bigint language sql immutable as $$ select 10::bigint $$';
const MESSAGES = 45;
const NUMBERS = ['46700000001', '491700000001', '12425550100', '35312345678'];
const CODES = ['46', '49', '1', '353'];
const [FIRST_DAY, LAST_DAY] = ['2000-01-01', '2100-01-01'];

let ledger: TestLedger;
let accountId: string;
let messages: PricedMessage[];
beforeAll(async () => {
  ledger = await TestLedger.create();
  await ledger.database.query(SMALL_CHUNKS);
  accountId = await ledger.account(1_000);
  messages = Array.from({ length: MESSAGES }, (_, n) =>
    ledger.message(n > 25 ? 1 + (n % 2) : 1, { destination: NUMBERS[n % NUMBERS.length] as string }),
  );
  await ledger.accept(accountId, [batchOf(messages)]);
  // Two days ago, and another day for each dozen of them.
  await ledger.database.query(
    'update message_order set created_at = created_at - make_interval(days => 6 - (sequence / 12)::integer)',
  );
});
afterAll(async () => {
  await ledger.expectClean();
  await ledger.close();
});

async function send(message: PricedMessage): Promise<void> {
  const order = await ledger.claimed(message.id);
  await ledger.record([answer(order, 1, 'accepted')]);
}
async function deliver(message: PricedMessage): Promise<void> {
  await ledger.settle([receiptFor(message, 1, 'delivered')]);
}
async function rollUp(): Promise<void> {
  while ((await rollUpUsage(ledger.database, 3)) > 0);
}

/** The usage as it follows from the list of messages. */
async function fromList(): Promise<string[]> {
  const { items } = await findOrders(ledger.database, accountId, { page: 1, limit: 100 });
  const sums = new Map<string, { messages: number; segments: number; amount: bigint }>();
  for (const { createdAt, recipient, id, state, segments, amount } of items) {
    const destination = messages.find((message) => message.id === id)?.destination ?? recipient;
    const day = createdAt.toISOString().slice(0, 10);
    const line = `${day} ${CODES[NUMBERS.indexOf(destination)]} ${state === 'sending' ? 'queued' : state}`;
    const sum = sums.get(line) ?? { messages: 0, segments: 0, amount: 0n };
    sums.set(line, { messages: sum.messages + 1, segments: sum.segments + segments, amount: sum.amount + amount });
  }
  return [...sums]
    .map(([line, { messages: count, segments, amount }]) => `${line} ${count} ${segments} ${amount}`)
    .sort();
}
async function usage(): Promise<string[]> {
  const { lines, countedUntil } = await accountUsage(ledger.database, accountId, FIRST_DAY, LAST_DAY);
  expect(countedUntil).toBeUndefined();
  return lines
    .map(({ day, destination, state, messages: count, segments, amount }) =>
      [day, destination, state, count, segments, amount].join(' '),
    )
    .sort();
}
const chunks = async () =>
  (await ledger.database.query<{ chunks: string }>('select chunks from usage_progress'))[0]?.chunks ?? '0';

test('usage is what the list of messages adds up to, before and after it was rolled up', async () => {
  expect(await usage()).toEqual(await fromList());
  await rollUp();
  expect(await chunks()).toBe('4');
  expect(await usage()).toEqual(await fromList());
});

test('a message that changes later is counted again, and everything around it stays', async () => {
  for (const message of messages.slice(0, 25)) await send(message);
  for (const message of messages.slice(0, 23)) await deliver(message);
  await ledger.expectClean();
  await rollUp();
  expect(await usage()).toEqual(await fromList());
  const refused = await ledger.claimed(messages[30]?.id ?? '');
  await ledger.record([answer(refused, 1, 'refused')]);
  await rollUp();
  expect(await usage()).toEqual(await fromList());
  expect((await usage()).some((line) => line.includes(' failed '))).toBe(true);
  expect(await ledger.database.query('select from usage_change')).toEqual([]);
});

test('only the asked days are answered, the first included and the last not', async () => {
  const days = [...new Set((await usage()).map((line) => line.slice(0, 10)))];
  const [first = '', second = '', third = ''] = days;
  const { lines } = await accountUsage(ledger.database, accountId, second, third);
  expect([...new Set(lines.map(({ day }) => day))]).toEqual([second]);
  expect(first < second).toBe(true);
});

test('a new message is not rolled up, and is counted all the same', async () => {
  for (let n = 0; n < 10; n += 1) messages.push(await ledger.queued(accountId, 1, { destination: '46700000001' }));
  await rollUp();
  expect(await chunks()).toBe('4');
  expect(await usage()).toEqual(await fromList());
});

test('days of which nothing is counted yet say from when on messages are left out', async () => {
  const account = await ledger.account(100);
  const sent = Array.from({ length: 61 }, () => ledger.message());
  await ledger.accept(account, [batchOf(sent)]);
  await ledger.database.query(
    "update message_order set created_at = created_at - interval '1 day' where account_id = $1 and sequence <= 55",
    [account],
  );
  const today = new Date().toISOString().slice(0, 10);
  const { lines, countedUntil } = await accountUsage(ledger.database, account, today, LAST_DAY);
  expect(lines).toEqual([]);
  const { items } = await findOrders(ledger.database, account, { page: 1, limit: 100 });
  expect(countedUntil).toEqual(items.find(({ id }) => id === sent[50]?.id)?.createdAt);
});

test('what retention drops stays in the usage', async () => {
  const before = await usage();
  await ledger.database.query(
    "update message_order set final_at = final_at - interval '40 days' where final_at is not null",
  );
  await setRetention(ledger.database, { rowDays: 30 });
  for (let after = '0'; ; ) {
    const slice = await retainNextSlice(ledger.database, after, 7);
    if (slice.accountId === undefined) break;
    if (slice.messages < 7) after = slice.accountId;
    await ledger.expectClean();
    expect(await usage()).toEqual(before);
  }
  expect((await findOrders(ledger.database, accountId, { page: 1, limit: 1 })).total).toBe(messages.length - 23);
  await rollUp();
  expect(await usage()).toEqual(before);
});

test('what retention drops while an account is counted for the first time is counted once', async () => {
  const { database } = ledger;
  const account = await ledger.account(20);
  const sent = Array.from({ length: 10 }, () => ledger.message());
  await ledger.accept(account, [batchOf(sent)]);
  for (const message of sent) {
    await send(message);
    await deliver(message);
  }
  await database.query(
    `update message_order set created_at = created_at - interval '40 days', final_at = final_at - interval '40 days'
      where account_id = $1`,
    [account],
  );
  let dropped: Promise<unknown> = Promise.resolve();
  await database.transaction(async (counting) => {
    await rollUpUsage(counting, 3);
    let isOver = false;
    dropped = retainNextSlice(database, `${BigInt(account) - 1n}`, 7).then(() => {
      isOver = true;
    });
    await eventually(async () => isOver || (await lockWaits(database)) > 0);
  });
  await dropped;
  const { lines } = await accountUsage(database, account, FIRST_DAY, LAST_DAY);
  expect(lines).toMatchObject([{ messages: 10 }]);
  await ledger.expectClean();
});

test.each([
  ['a chunk that says too much', 'update usage_chunk set amount = amount + 1', 'usage'],
  ['a chunk that says too little', 'update usage_chunk set messages = messages - 1', 'usage'],
  ['a chunk that is missing', 'delete from usage_chunk', 'usage'],
  ['messages that were never dropped', 'update usage_retired set messages = messages + 1000', 'usage_retired'],
  ['an amount of dropped messages', 'update usage_retired set amount = amount - 1 where amount > 0', 'usage_retired'],
  ['a price of dropped messages', 'update usage_retired set unit_price = unit_price + 1', 'usage_retired'],
  ['a segment of dropped messages', 'update usage_retired set segments = segments - 1', 'usage_retired'],
])('%s does not escape the verification of the ledger', async (_what, statement, check) => {
  await ledger.database.query('create table saved_chunk as table usage_chunk');
  await ledger.database.query('create table saved_retired as table usage_retired');
  await ledger.database.query(statement);
  const { checks } = await verifyLedger(ledger.database);
  expect(checks.filter(({ offenders }) => offenders > 0).map(({ name }) => name)).toEqual([check]);
  for (const part of ['chunk', 'retired']) {
    await ledger.database.query(`delete from usage_${part}`);
    await ledger.database.query(`insert into usage_${part} select * from saved_${part}`);
    await ledger.database.query(`drop table saved_${part}`);
  }
});
