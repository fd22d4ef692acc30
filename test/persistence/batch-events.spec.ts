import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { v7 as uuidV7 } from 'uuid';
import { cancelOrders, completeBatches, type EventType, type PricedMessage } from '#persistence';
import { answer, batchOf, receiptFor, TestLedger } from '../support/test-ledger.js';
import { webhookTo } from '../support/webhooks.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(async () => {
  await ledger.expectClean();
  await ledger.close();
});

/** An account with a webhook for these events. */
async function accountFor(events: readonly EventType[] = ['batch.completed']): Promise<string> {
  const accountId = await ledger.account(5_000);
  await webhookTo(ledger.database, accountId, 'https://example.com/', events);
  return accountId;
}

async function batch(accountId: string, messages: readonly PricedMessage[]): Promise<string> {
  const batchId = uuidV7();
  expect(await ledger.accept(accountId, [{ ...batchOf(messages), batchId }])).toEqual([{ kind: 'accepted' }]);
  return batchId;
}

const messagesOf = (count: number) => Array.from({ length: count }, () => ledger.message());

async function taken(messages: readonly PricedMessage[]): Promise<void> {
  const claimed = await ledger.claim(messages.map(({ id }) => id));
  await ledger.record(claimed.map((order) => answer(order, 1, 'accepted')));
}

const delivered = (messages: readonly PricedMessage[]) =>
  ledger.settle(messages.map((message) => receiptFor(message, 1, 'delivered')));

/** What workers do each second, when the time of every batch has come. */
async function look(): Promise<void> {
  await ledger.database.query("update open_batch set look_at = now() - interval '1 second'");
  await completeBatches(ledger.database);
}

async function eventsOf(accountId: string): Promise<unknown[]> {
  const rows = await ledger.database.query<{ data: unknown }>(
    "select data from event_batch where account_id = $1 and type = 'batch.completed' order by batch_id",
    [accountId],
  );
  return rows.map(({ data }) => data);
}

const NONE = { delivered: 0, undelivered: 0, failed: 0, unknown: 0, canceled: 0 };

describe('the event of a batch', () => {
  test('comes once, when every message is final, and counts them by status with what they cost', async () => {
    const accountId = await accountFor();
    const messages = messagesOf(4);
    const [first, second, third, last] = messages as [PricedMessage, PricedMessage, PricedMessage, PricedMessage];
    const batchId = await batch(accountId, messages);
    await taken([first, second, third]);
    await delivered([first, third]);
    await ledger.settle([receiptFor(second, 1, 'undelivered', { code: 'EXPIRED' })]);
    await look();
    expect(await eventsOf(accountId)).toEqual([]);
    await cancelOrders(ledger.database, accountId, [last.id]);
    await look();
    await look();
    expect(await eventsOf(accountId)).toEqual([
      {
        batchId,
        messages: 4,
        byStatus: { ...NONE, delivered: 2, undelivered: 1, canceled: 1 },
        amount: 0.03,
        currency: 'EUR',
      },
    ]);
  });

  test('waits for the one message that is late, wherever it stands in a large batch', async () => {
    const accountId = await accountFor();
    const messages = messagesOf(2_500);
    await batch(accountId, messages);
    const late = messages[2_100] as PricedMessage;
    const others = messages.filter((message) => message !== late);
    await taken(others);
    await delivered(others);
    await look();
    expect(await eventsOf(accountId)).toEqual([]);
    await taken([late]);
    await look();
    expect(await eventsOf(accountId)).toEqual([]);
    await delivered([late]);
    await look();
    expect(await eventsOf(accountId)).toMatchObject([{ messages: 2_500, byStatus: { ...NONE, delivered: 2_500 } }]);
  });

  test('is told of each batch by itself, and not of messages that were sent alone', async () => {
    const accountId = await accountFor();
    const [one, other] = [messagesOf(2), messagesOf(3)];
    const ids = [await batch(accountId, one), await batch(accountId, other)];
    const single = await ledger.queued(accountId);
    await taken([single, ...other]);
    await delivered([single, ...other]);
    await look();
    expect(await eventsOf(accountId)).toMatchObject([{ batchId: ids[1], messages: 3 }]);
    await taken(one);
    await delivered(one);
    await look();
    expect(await eventsOf(accountId)).toMatchObject([{ messages: 3 }, { batchId: ids[0], messages: 2 }]);
  });

  test('costs accounts that do not ask for it nothing: no row waits for their batches', async () => {
    const accountId = await accountFor(['message.delivered']);
    const messages = messagesOf(2);
    await batch(accountId, messages);
    expect(await ledger.database.query('select from open_batch where account_id = $1', [accountId])).toHaveLength(0);
    await taken(messages);
    await delivered(messages);
    await look();
    expect(await eventsOf(accountId)).toEqual([]);
  });

  test('is written once when many workers look at the same time, and when one dies before it commits', async () => {
    const accountId = await accountFor();
    const batches = Array.from({ length: 30 }, () => messagesOf(2));
    for (const messages of batches) await batch(accountId, messages);
    await taken(batches.flat());
    await delivered(batches.flat());
    await ledger.database.query("update open_batch set look_at = now() - interval '1 second'");
    const dying = new pg.Client(ledger.url);
    await dying.connect();
    await dying.query('begin');
    await dying.query('select complete_batches(10)');
    await Promise.all([completeBatches(ledger.database), completeBatches(ledger.database)]);
    expect(await eventsOf(accountId)).toHaveLength(20);
    await dying.end();
    await look();
    const told = (await eventsOf(accountId)) as { batchId: string }[];
    expect(told).toHaveLength(30);
    expect(new Set(told.map(({ batchId }) => batchId)).size).toBe(30);
  });
});
