import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addCdrLines, compareReconciliation, removeReconciliation, startReconciliation } from '#persistence';
import { untilLockWaits } from '../support/lock-waits.js';
import { TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

const LINE = { line: 1, carrierMessageId: 'a', parts: 1, cost: undefined, at: undefined };

async function started(): Promise<string> {
  const [row] = await ledger.database.query<{ name: string }>('select name from carrier where carrier_id = $1', [
    ledger.carrierId,
  ]);
  const settings = { currency: undefined, unitCost: undefined, tolerance: 0n, edgeSeconds: 0 };
  const [from, to] = [new Date(Date.now() - 60_000), new Date()];
  return startReconciliation(ledger.database, { carrier: row?.name ?? '', ...settings, from, to });
}

test.each([
  ['added to', (id: string) => addCdrLines(ledger.database, id, [LINE])],
  ['compared', (id: string) => compareReconciliation(ledger.database, id)],
  ['removed again', (id: string) => removeReconciliation(ledger.database, id)],
])('a comparison that somebody removes meanwhile is not %s', async (_what, work) => {
  const { database } = ledger;
  const id = await started();
  await addCdrLines(database, id, [{ ...LINE, line: 2 }]);
  const { begun } = await database.transaction(async (transaction) => {
    await transaction.query('delete from reconciliation where reconciliation_id = $1', [id]);
    await transaction.query('delete from cdr_line where reconciliation_id = $1', [id]);
    const begun = expect(work(id)).rejects.toThrow(`there is no reconciliation ${id}`);
    await untilLockWaits(database, 1);
    return { begun };
  });
  await begun;
  for (const table of ['cdr_line', 'cdr_difference']) {
    expect(await database.query(`select from ${table} where reconciliation_id = $1`, [id])).toEqual([]);
  }
});

test('lines that come while it is compared are refused, and not lost', async () => {
  const { database } = ledger;
  const id = await started();
  const { begun } = await database.transaction(async (transaction) => {
    await transaction.query('select compare_reconciliation($1)', [id]);
    const begun = expect(addCdrLines(database, id, [LINE])).rejects.toThrow('has been compared already');
    await untilLockWaits(database, 1);
    return { begun };
  });
  await begun;
  expect(await database.query('select from cdr_line where reconciliation_id = $1', [id])).toEqual([]);
});
