import { expect, test } from '@jest/globals';
import { TestLedger } from '../support/test-ledger.js';

test('the opening balance of a month is found without its entries', async () => {
  const ledger = await TestLedger.create();
  const { database } = ledger;
  const accountId = await ledger.account(10);
  await database.query("update journal_entry set created_at = '2025-09-30T23:59:59Z' where account_id = $1", [
    accountId,
  ]);
  await database.query(
    `with balance as (
       update account_balance set last_entry = last_entry + 60000 where account_id = $1
       returning last_entry - 60000 as before, deposited as available
     )
     insert into journal_entry (account_id, entry, kind, debit, credit, amount, available_after, order_count, created_at)
     select $1, b.before + i, 'capture', 'reserved', 'captured', 1, b.available, 1,
            '2025-10-01T00:00:00Z'::timestamptz + i * interval '40 seconds'
       from balance b cross join generate_series(1, 60000) i`,
    [accountId],
  );
  const month = [accountId, '2025-10-01T00:00:00Z', '2025-11-01T00:00:00Z'];
  const [bounds] = await database.query<{ opening: string }>('select * from statement_bounds($1, $2, $3)', month);
  expect(bounds?.opening).toBe('100000');
  const [row] = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
    'explain (analyze, buffers, format json) select * from statement_bounds($1, $2, $3)',
    month,
  );
  const { Plan } = row?.['QUERY PLAN'][0] ?? { Plan: {} };
  expect((Plan['Shared Hit Blocks'] ?? 0) + (Plan['Shared Read Blocks'] ?? 0)).toBeLessThan(400);
  await ledger.close();
});
