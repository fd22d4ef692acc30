import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { foldTraffic, type Overview, readOpenWork, readOverview, suspendAccount } from '#persistence';
import { answer, batchOf, receiptFor, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeEach(async () => {
  ledger = await TestLedger.create();
});
afterEach(() => ledger.close());

async function overview(): Promise<Overview> {
  while ((await foldTraffic(ledger.database, 3)) > 0);
  return readOverview(ledger.database);
}
async function sendTo(accountId: string, end: 'delivered' | 'undelivered' | 'refused'): Promise<void> {
  const message = await ledger.queued(accountId);
  const order = await ledger.claimed(message.id);
  await ledger.record([answer(order, 1, end === 'refused' ? 'refused' : 'accepted')]);
  if (end !== 'refused') await ledger.settle([receiptFor(message, 1, end)]);
}
const counts = (changes: object) => ({
  accepted: 0,
  sent: 0,
  delivered: 0,
  undelivered: 0,
  failed: 0,
  canceled: 0,
  unknown: 0,
  ...changes,
});

test('the last hour counts what was accepted, delivered and failed, by account and by carrier, each once', async () => {
  const [busy, other] = [await ledger.account(100), await ledger.account(100)];
  for (const end of ['delivered', 'delivered', 'undelivered', 'refused'] as const) await sendTo(busy, end);
  await sendTo(other, 'delivered');
  await overview();
  await sendTo(other, 'delivered');
  const { traffic, accounts, carriers, reasons } = await overview();
  expect(traffic.lastHour).toEqual(counts({ accepted: 6, sent: 5, delivered: 4, undelivered: 1, failed: 1 }));
  expect(accounts.map(({ accountId, lastHour }) => [accountId, lastHour])).toEqual([
    [busy, counts({ accepted: 4, sent: 3, delivered: 2, undelivered: 1, failed: 1 })],
    [other, counts({ accepted: 2, sent: 2, delivered: 2 })],
  ]);
  expect(carriers.map(({ lastHour }) => lastHour)).toEqual([
    counts({ sent: 5, delivered: 4, undelivered: 1, failed: 1 }),
  ]);
  expect(traffic.steps).toHaveLength(12);
  expect(traffic.steps.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(6);
  expect(reasons.map(({ event, messages }) => [event, messages])).toEqual(
    expect.arrayContaining([
      ['failed', 1],
      ['undelivered', 1],
    ]),
  );
  expect(await ledger.database.query('select from traffic_move')).toEqual([]);
});

test('the last hour is compared with the same hour a week before, once there was one', async () => {
  const account = await ledger.account(100);
  await sendTo(account, 'delivered');
  expect((await overview()).traffic.isWeekKnown).toBe(false);
  await ledger.database.query("update traffic_step set started_at = started_at - interval '7 days 10 minutes'");
  const { traffic, accounts } = await overview();
  expect(traffic.isWeekKnown).toBe(true);
  expect(traffic.lastHour).toEqual(counts({}));
  expect(traffic.weekBefore).toEqual(counts({ accepted: 1, sent: 1, delivered: 1 }));
  expect(accounts[0]?.weekBefore.delivered).toBe(1);
});

test('messages in the backlog are shown with their account and the age of the oldest', async () => {
  const account = await ledger.account(100);
  await ledger.accept(account, [batchOf([ledger.message(), ledger.message(), ledger.message()])]);
  await ledger.database.query("update message_order set created_at = created_at - interval '90 seconds'");
  const { accounts, notRouted, work } = await overview();
  expect(accounts).toMatchObject([{ accountId: account, status: 'active', waiting: { messages: 3 } }]);
  expect(notRouted.messages).toBe(3);
  expect(notRouted.oldestSeconds).toBeGreaterThan(89);
  expect(work.queued).toBe(3);
});

test('messages in the backlog count, and so does their age, behind more messages than are looked at', async () => {
  const account = await ledger.account(20);
  for (let n = 0; n < 3; n += 1) {
    const order = await ledger.claimed((await ledger.queued(account)).id);
    await ledger.record([answer(order, 1, 'accepted')]);
  }
  await ledger.accept(account, [batchOf(Array.from({ length: 10 }, () => ledger.message()))]);
  const oldestQueuedSeconds = expect.any(Number);
  expect(await readOpenWork(ledger.database)).toMatchObject({ queued: 10, oldestQueuedSeconds });
  expect(await readOpenWork(ledger.database, 3)).toMatchObject({ queued: 3, oldestQueuedSeconds });
});

test('messages whose receipts have not come are shown with their carrier, and the age of the oldest', async () => {
  const account = await ledger.account(100);
  await sendTo(account, 'delivered');
  for (const message of [await ledger.queued(account), await ledger.queued(account)]) {
    await ledger.record([answer(await ledger.claimed(message.id), 1, 'accepted')]);
  }
  await ledger.database.query("update message_order set sent_at = sent_at - interval '90 seconds'");
  const { awaitingReceipts } = (await overview()).carriers[0] ?? {};
  expect(awaitingReceipts?.messages).toBe(2);
  expect(awaitingReceipts?.oldestSeconds).toBeGreaterThan(89);
});

test('the overview has the sums of money and the number of accounts by status', async () => {
  const [first, second] = [await ledger.account(100), await ledger.account(50)];
  await sendTo(first, 'delivered');
  await suspendAccount(ledger.database, second);
  const { money, accountsByStatus } = await overview();
  expect(money).toEqual([{ currency: 'EUR', deposited: 1_500_000n, reserved: 0n, captured: 10_000n }]);
  expect(accountsByStatus).toEqual({ active: 1, suspended: 1, closed: 0 });
});
