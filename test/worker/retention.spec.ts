import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { findOrders, setRetention } from '#persistence';
import { WorkerMetrics } from '../../apps/worker/operations/worker-metrics.js';
import { Retention } from '../../apps/worker/recovery/retention.js';
import { eventually } from '../support/eventually.js';
import { answer, batchOf, receiptFor, TestLedger } from '../support/test-ledger.js';

const BOUNDS = { roundEveryMs: 20, sliceMessagesMax: 2 };
const log = pino({ level: 'silent' });

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

/** An account with as many delivered messages, all a year old. */
async function oldAccount(count: number): Promise<string> {
  const accountId = await ledger.account(count);
  const messages = Array.from({ length: count }, () => ledger.message());
  await ledger.accept(accountId, [batchOf(messages)]);
  const orders = await ledger.claim(messages.map(({ id }) => id));
  await ledger.record(orders.map((order) => answer(order, 1, 'accepted')));
  await ledger.settle(messages.map((message) => receiptFor(message, 1, 'delivered')));
  await ledger.database.query(
    `update message_order set created_at = created_at - p, final_at = final_at - p from make_interval(days => 365) p
      where account_id = $1`,
    [accountId],
  );
  return accountId;
}

const listed = async (accountId: string) =>
  (await findOrders(ledger.database, accountId, { page: 1, limit: 100 })).total;

test('two workers drop everything that is due, of every account, and begin when the operator says so', async () => {
  const accounts = [await oldAccount(5), await oldAccount(1), await oldAccount(4)];
  const metrics = new WorkerMetrics();
  const workers = [metrics, metrics].map(
    (shared) => new Retention(ledger.database, shared, log, { retention: BOUNDS }),
  );
  for (const worker of workers) worker.onApplicationBootstrap();
  try {
    expect(await Promise.all(accounts.map(listed))).toEqual([5, 1, 4]);
    await setRetention(ledger.database, { rowDays: 100 });
    await eventually(async () => expect(await Promise.all(accounts.map(listed))).toEqual([0, 0, 0]));
    const later = await oldAccount(3);
    await eventually(async () => expect(await listed(later)).toBe(0));
  } finally {
    await Promise.all(workers.map((worker) => worker.onApplicationShutdown()));
  }
  await ledger.expectClean();
  expect(await metrics.registry.getSingleMetricAsString('heliograph_retention_dropped_total')).toMatch(
    /what="messages".*} 13$/m,
  );
});
