import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { acceptMessages, adjustBalance, type Database, setCreditLimit, verifyLedger } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { openTestDatabase } from '../support/secrets.js';
import { DRIFTS } from './ledger-drifts.js';
import { makeTraffic, message, openAccount, type TrafficName, UNIT_PRICE } from './ledger-traffic.js';

/** What a drift may touch. */
const TABLES = [
  'account_balance',
  'deposit',
  'journal_entry',
  'message_order',
  'order_transition',
  'segment',
  'wire_format',
  'idempotency_key',
  'credit_limit_change',
  'order_exception',
  'order_label',
  'order_schedule',
  'message_batch',
  'open_batch',
  'process_heartbeat',
];

/** The names of the checks that fail. */
async function failing(database: Database): Promise<string[]> {
  const { checks } = await verifyLedger(database);
  return checks.filter((check) => check.offenders > 0).map((check) => check.name);
}

describe('ledger verify finds every kind of drift', () => {
  let server: TestDatabase;
  let database: Database;
  let ids: Record<TrafficName, string>;

  beforeAll(async () => {
    server = await createTestDatabase();
    database = await openTestDatabase(server.url);
    ids = await makeTraffic(database);
    await database.query('create schema saved');
    for (const table of TABLES) await database.query(`create table saved.${table} as table ${table}`);
  });

  afterEach(async () => {
    await database.transaction(async (transaction) => {
      // No trigger runs.
      await transaction.query('set local session_replication_role = replica');
      for (const table of TABLES) {
        // A TRUNCATE makes the files of the table and its indexes anew, which takes longer than all else here.
        await transaction.query(`delete from ${table}`);
        await transaction.query(`insert into ${table} select * from saved.${table}`);
      }
    });
    expect(await failing(database)).toEqual([]);
  });

  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  test('messages in every state leave the ledger clean', async () => {
    const states = await database.query<{ state: string }>('select distinct state::text from message_order order by 1');
    expect(states.map(({ state }) => state)).toEqual([
      'canceled',
      'delivered',
      'failed',
      'queued',
      'scheduled',
      'sending',
      'sent',
      'undelivered',
      'unknown',
    ]);
    const report = await verifyLedger(database);
    expect(report.checks.filter((check) => check.offenders > 0)).toEqual([]);
    expect(report).toMatchObject({ isClean: true, accounts: 1n, messages: 12n });
  });

  test.each(DRIFTS)('%s', async (_what, statement, checks) => {
    const planted = statement.replaceAll(/\{(\w+)\}/g, (_all, name) => ids[name as TrafficName]);
    await database.query(planted);
    expect(await failing(database)).toEqual(expect.arrayContaining(checks));
  });

  test('an example names the account and says what does not fit', async () => {
    await database.query('update account_balance set deposited = deposited + 1');
    const { checks } = await verifyLedger(database);
    const deposited = checks.find((check) => check.name === 'deposited');
    expect(deposited).toMatchObject({ offenders: 1, examples: [{ accountId: '1001', subject: 'balance' }] });
    expect(deposited?.examples[0]?.detail).toContain('deposited is');
  });

  test('a change by hand, after which the account went on, is undone as the runbook says', async () => {
    await database.query('update account_balance set deposited = deposited + 5000000');
    await adjustBalance(database, '1001', { amount: 500_000n, reason: 'goodwill' });
    await adjustBalance(database, '1001', { amount: 500_000n, reason: 'goodwill' });
    const { checks } = await verifyLedger(database);
    const chain = checks.find(({ name }) => name === 'journal_chain');
    const [entry = ''] = /\d+/.exec(chain?.examples[0]?.subject ?? '') ?? [];
    const runbook = readFileSync('docs/runbooks/ledger-alarm.md', 'utf8');
    const [, undo = ''] = /```sql\n(.*?)```/s.exec(runbook) ?? [];
    for (const [update] of undo.replace('15898', entry).matchAll(/update [^;]*/g)) await database.query(update);
    expect(await failing(database)).toEqual([]);
  });
});

describe('a balance below zero', () => {
  let server: TestDatabase;
  let database: Database;
  const send = (accountId: string, count: number) => {
    const messages = Array.from({ length: count }, () => message());
    const settings = { validitySeconds: 3_600, sweepAfterSeconds: 10 };
    const request = { messages, total: UNIT_PRICE * BigInt(count), inBacklog: count > 1 };
    return acceptMessages(database, [{ accountId, request }], settings);
  };

  beforeAll(async () => {
    server = await createTestDatabase();
    database = await openTestDatabase(server.url);
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  test('is clean within the limit that was in force, and when the limit was lowered or the balance adjusted later', async () => {
    const accountId = await openAccount(database, 0n);
    await adjustBalance(database, accountId, { amount: -100_000_000n, reason: 'back to nothing' });
    expect(await send(accountId, 1)).toEqual([{ kind: 'insufficient_balance', balance: 0n }]);
    await setCreditLimit(database, accountId, UNIT_PRICE * 2n);
    expect(await send(accountId, 2)).toEqual([{ kind: 'accepted' }]);
    await setCreditLimit(database, accountId, 0n);
    await adjustBalance(database, accountId, { amount: -1n, reason: 'further down', isMeant: true });
    expect(await failing(database)).toEqual([]);
  });

  test('is drift when it was reached by sending beyond the limit', async () => {
    await database.query('update credit_limit_change set credit_limit = 1 where credit_limit > 0');
    expect(await failing(database)).toEqual(['credit']);
  });
});

test('verifying does not mistake live traffic for drift', async () => {
  const server = await createTestDatabase();
  const database = await openTestDatabase(server.url);
  try {
    const accountId = await openAccount(database);
    const settings = { validitySeconds: 3_600, sweepAfterSeconds: 10 };
    let isOver = false;
    const sender = async () => {
      for (let sent = 0; sent < 100 && !isOver; sent++) {
        const each = message();
        const request = { messages: [each], total: each.price, inBacklog: false };
        await acceptMessages(database, [{ accountId, request }], settings);
      }
    };
    const senders = Promise.all([sender(), sender()]).finally(() => {
      isOver = true;
    });
    let rounds = 0;
    while (!isOver) {
      expect(await failing(database)).toEqual([]);
      rounds++;
    }
    await senders;
    expect(rounds).toBeGreaterThan(0);
    expect((await verifyLedger(database)).messages).toBe(200n);
  } finally {
    await database.close();
    await server.drop();
  }
});
