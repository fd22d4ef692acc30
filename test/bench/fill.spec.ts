import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { accountFigures, Database, findOrders, verifyLedger } from '#persistence';
import { parseFillCommandLine } from '../../tools/bench/fill/command-line.js';
import { fillDatabase } from '../../tools/bench/fill/fill-database.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const MESSAGES = 4_000;
const ACCOUNTS = 20;

describe('a filled database', () => {
  let server: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    server = await createTestDatabase();
    const flags = ['--messages', `${MESSAGES}`, '--accounts', `${ACCOUNTS}`, '--sessions', '2', '--days', '10'];
    await fillDatabase(server.url, parseFillCommandLine(flags), new AbortController().signal, () => undefined);
    database = await Database.open({
      url: server.url,
      poolSize: 2,
      applicationName: 'spec',
      statementTimeoutMs: 60_000,
    });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  test('has as many messages as were asked for, and a clean ledger', async () => {
    const { checks, messages, accounts } = await verifyLedger(database);
    expect(checks.filter(({ offenders }) => offenders > 0)).toEqual([]);
    expect({ messages, accounts }).toEqual({ messages: BigInt(MESSAGES), accounts: BigInt(ACCOUNTS) });
  });

  test('has ids of their time, in the order of the sequences, over all the days', async () => {
    const [row] = await database.query(
      `select bool_and(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint = floor(extract(epoch from created_at) * 1000))
                as of_its_time,
              bool_and(substr(id::text, 15, 1) = '7' and substr(id::text, 20, 1) in ('8', '9', 'a', 'b')) as version_7,
              extract(days from max(created_at) - min(created_at)) >= 9 as over_all_days
         from message_order`,
    );
    expect(row).toEqual({ of_its_time: true, version_7: true, over_all_days: true });
    const unordered = await database.query(
      `select from (select created_at < lag(created_at) over (partition by account_id order by sequence) as is_late
                      from message_order) o where is_late`,
    );
    expect(unordered).toEqual([]);
  });

  test('has large accounts and small ones, and messages in every final state', async () => {
    const [largest, smallest] = await Promise.all(
      ['desc', 'asc'].map(async (order) => {
        const [row] = await database.query<{ account_id: string; last_sequence: string }>(
          `select account_id, last_sequence from account_balance order by last_sequence ${order} limit 1`,
        );
        return { accountId: row?.account_id ?? '', messages: Number(row?.last_sequence) };
      }),
    );
    expect(largest?.messages).toBeGreaterThan(10 * (smallest?.messages ?? MESSAGES));
    const page = await findOrders(database, largest?.accountId ?? '', { page: 1, limit: 100 });
    expect(page).toMatchObject({ total: largest?.messages });
    expect(page.items).toHaveLength(100);
    expect((await accountFigures(database, largest?.accountId ?? '')).reserved).toBe(0n);
    const states = await database.query<{ state: string }>('select distinct state::text from message_order order by 1');
    expect(states.map(({ state }) => state)).toEqual(
      expect.arrayContaining(['delivered', 'failed', 'undelivered', 'unknown']),
    );
  });

  test('is not filled again after a fill that was cut off', async () => {
    await database.query('create schema bench_fill');
    const again = fillDatabase(
      server.url,
      parseFillCommandLine(['--messages', '10']),
      new AbortController().signal,
      () => undefined,
    );
    await expect(again).rejects.toThrow('cut off');
  });
});
