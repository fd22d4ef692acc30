import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { purgeExpired } from '#persistence';
import { TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

test('the purge reads no more of the counters of long messages when a week had millions of them', async () => {
  const { database } = ledger;
  await database.query(
    `insert into concatenation_counter (destination, last, used_at)
     select '467' || lpad(n::text, 8, '0'), 0, now() - make_interval(days => case when n % 50000 = 0 then 8 else 1 end)
       from generate_series(1, 500000) n`,
  );
  const [row] = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
    "explain (analyze, buffers, format json) select purge_expired(interval '2 days', 500)",
  );
  // All of them are on 4,600.
  const { Plan: plan } = row?.['QUERY PLAN'][0] ?? { Plan: {} };
  const pages = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  expect(pages).toBeGreaterThan(0);
  expect(pages).toBeLessThan(2_500);
  // It looks at other ones each time, so those that were not used for a week go nevertheless.
  const left = "select count(*)::integer as n from concatenation_counter where used_at < now() - interval '7 days'";
  for (let calls = 0; calls < 100; calls += 1) await purgeExpired(database, 48);
  expect(await database.query(left)).toEqual([{ n: 0 }]);
});
