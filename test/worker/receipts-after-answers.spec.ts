import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { loadConfig } from '#config';
import type { Database } from '#persistence';
import { MessageTraces } from '#telemetry';
import { DispatchJournal } from '../../apps/worker/dispatch/dispatch-journal.js';
import { WorkerMetrics } from '../../apps/worker/operations/worker-metrics.js';
import { ReceiptWait } from '../../apps/worker/receipts/receipt-wait.js';
import { SettleReceipts } from '../../apps/worker/receipts/settle-receipts.js';
import { submitting } from '../persistence/submitted-orders.js';
import { answer, receiptFor, TestLedger } from '../support/test-ledger.js';

/** Longer than receipts are gathered. */
const SLOW_WRITE_MS = 300;

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

/** The database as it is when an answer of the carrier is written to it only after `until`, or is refused by then. */
function writesAnswersAfter(until: () => Promise<void>, isRefused = false): Database {
  const { database } = ledger;
  const query: Database['query'] = async (sql, parameters) => {
    if (sql.includes('record_submits')) {
      await until();
      if (isRefused) throw Object.assign(new Error('malformed'), { code: '22P02' });
    }
    return database.query(sql, parameters);
  };
  return Object.assign(Object.create(database) as Database, { query });
}

const slowly = () => delay(SLOW_WRITE_MS);
const log = pino({ level: 'silent' });

async function start(database: Database) {
  const config = loadConfig({ DATABASE_URL: ledger.url });
  const metrics = new WorkerMetrics();
  const wait = new ReceiptWait(metrics);
  const journal = new DispatchJournal(database, config, 'worker-1', metrics, wait, log);
  const traces = await MessageTraces.open(config, 'worker', log);
  const receipts = new SettleReceipts(ledger.database, config, metrics, wait, journal, traces, log);
  const unmatched = async () =>
    (await metrics.unmatchedReceipts.get()).values.reduce((sum, { value }) => sum + value, 0);
  return { journal, receipts, unmatched };
}

test('a receipt that is here before the answer to its message is written waits for it, and is never stored as unmatched', async () => {
  const { order } = await submitting(ledger);
  const { journal, receipts, unmatched } = await start(writesAnswersAfter(slowly));
  const recorded = journal.record(answer(order, 1, 'accepted'));
  await receipts.settle({ id: ledger.carrierId, name: 'carrier' }, receiptFor(order, 1, 'delivered'));
  expect(await ledger.state(order.id)).toBe('delivered');
  expect(await unmatched()).toBe(0);
  await recorded;
  await ledger.expectClean();
});

test('it waits for no answer to another message', async () => {
  const [late, other] = [await submitting(ledger), await submitting(ledger)];
  await ledger.record([answer(other.order, 1, 'accepted')]);
  let letGo = () => {};
  const isSettled = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const { journal, receipts } = await start(writesAnswersAfter(() => isSettled));
  const recorded = journal.record(answer(late.order, 1, 'accepted'));
  await receipts.settle({ id: ledger.carrierId, name: 'carrier' }, receiptFor(other.order, 1, 'delivered'));
  expect(await ledger.state(other.order.id)).toBe('delivered');
  expect(await ledger.state(late.order.id)).toBe('sending');
  letGo();
  await recorded;
  expect(await ledger.state(late.order.id)).toBe('sent');
}, 20_000);

test('an answer that the database refuses keeps no receipt back', async () => {
  const { order } = await submitting(ledger);
  const { journal, receipts, unmatched } = await start(writesAnswersAfter(slowly, true));
  const recorded = expect(journal.record(answer(order, 1, 'accepted'))).rejects.toThrow('malformed');
  await receipts.settle({ id: ledger.carrierId, name: 'carrier' }, receiptFor(order, 1, 'delivered'));
  expect(await unmatched()).toBe(1);
  await recorded;
});
