import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findInbound, listInbound, purgeExpired, setRetention } from '#persistence';
import { type Queryable } from '../../libs/persistence/database/database.js';
import { TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

/** Pages of tables and indexes that a statement looks at, when the connection has its plans. */
async function pagesOf(sql: string, values: readonly unknown[] = []): Promise<number> {
  let pages = 0;
  for (let n = 0; n < 3; n += 1) {
    const [row] = await ledger.database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) ${sql}`,
      values,
    );
    const { Plan: plan } = row?.['QUERY PLAN'][0] ?? { Plan: {} };
    pages = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  }
  expect(pages).toBeGreaterThan(0);
  return pages;
}

/** On a busy machine, many rows take longer than a statement of the service may. */
async function fill(sql: string, values: readonly unknown[] = []): Promise<void> {
  await ledger.database.transaction(async (transaction) => {
    await transaction.query('set local statement_timeout = 0');
    await transaction.query(sql, values);
  });
}

test('the purge reads no more of the counters of long messages when a week had millions of them', async () => {
  const { database } = ledger;
  // On 3,200 pages.
  await fill(
    `insert into concatenation_counter (destination, last, used_at)
     select '467' || lpad(n::text, 8, '0'), 0, now() - make_interval(days => case when n % 35000 = 0 then 8 else 1 end)
       from generate_series(1, 350000) n`,
  );
  expect(await pagesOf("select purge_expired(interval '2 days', 500)")).toBeLessThan(2_500);
  // It looks at other ones each time, so those that were not used for a week go nevertheless.
  const left = "select count(*)::integer as n from concatenation_counter where used_at < now() - interval '7 days'";
  for (let calls = 0; calls < 100; calls += 1) await purgeExpired(database, 48);
  expect(await database.query(left)).toEqual([{ n: 0 }]);
});

test('redaction reads no more when very many unassigned messages are redacted, and parts are kept', async () => {
  const { database } = ledger;
  const accountId = await ledger.account(0);
  // On 1,000 pages each, which redaction and the purge of a week leave.
  await fill(
    `insert into inbound_message (inbound_id, carrier_id, source, destination, message, parts, unassigned, received_at)
     select gen_random_uuid(), 1, '467001******', '12345', '', 1, 'unknown', now() - interval '30 days'
       from generate_series(1, 100000) n`,
  );
  await fill(
    `insert into inbound_part (carrier_id, source, destination, fingerprint, connection)
     select 1, '467' || lpad(n::text, 8, '0'), '12345', sha256(n::text::bytea), 'bind'
       from generate_series(1, 75000) n`,
  );
  await setRetention(database, { textDays: 1, numberDays: 7 });
  expect(await pagesOf('select redact_unassigned(500)')).toBeLessThan(500);
  await database.query(
    `insert into redaction_request (account_id, number, is_operators, last_sequence, last_inbound)
     select $1, '46700000000', true, 0, 0 from generate_series(1, 3)`,
    [accountId],
  );
  const oldest = '(select min(request_id) from redaction_request)';
  expect(await pagesOf(`select redact_number(${accountId}, ${oldest}, 500)`)).toBeLessThan(500);
  expect(await database.query('select from redaction_request')).toEqual([]);
});

test('the last page of a large inbox costs no more than the first one', async () => {
  const { database } = ledger;
  const accountId = await ledger.account(0);
  await fill(
    `insert into inbound_message (inbound_id, carrier_id, source, destination, message, parts, account_id, number)
     select gen_random_uuid(), 1, '46700100200', '12345', 'Answer ' || n, 1, $1, n from generate_series(1, 100000) n`,
    [accountId],
  );
  await database.query('insert into inbox values ($1, 100000)', [accountId]);
  let pages = 0;
  const counted: Queryable = {
    texts: database.texts,
    query: async (sql, values) => {
      pages += await pagesOf(sql, values);
      return database.query(sql, values);
    },
  };
  const { items, next } = await findInbound(counted, accountId, { page: 5_000, limit: 20 });
  expect(items.map(({ message }) => message)).toEqual(Array.from({ length: 20 }, (_, n) => `Answer ${20 - n}`));
  expect(next).toBeUndefined();
  expect(pages).toBeLessThan(200);
});

test('a search for answers that takes too long says how to narrow it', async () => {
  const { database } = ledger;
  await database.transaction(async (other) => {
    await other.query('lock table inbound_message in access exclusive mode');
    const search = database.transaction(async (transaction) => {
      await transaction.query("set local statement_timeout = '100ms'");
      return listInbound(transaction, { destination: '12345' }, 10);
    });
    await expect(search).rejects.toThrow('that took too long: narrow it with --account and --sender');
  });
});
