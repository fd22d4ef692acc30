import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { adjustBalance, bookDeposit, setBalanceAlert } from '#persistence';
import type { RunningWebhooks } from '../../apps/webhooks/start-webhooks.js';
import { eventually } from '../support/eventually.js';
import { batchOf, TestLedger } from '../support/test-ledger.js';
import { managerOf, startTestWebhooks, TestReceiver, webhookTo } from '../support/webhooks.js';

let ledger: TestLedger;
let receiver: TestReceiver;
let webhooks: RunningWebhooks;
beforeAll(async () => {
  ledger = await TestLedger.create();
  receiver = await TestReceiver.start();
  webhooks = await startTestWebhooks(ledger.url);
});
afterAll(async () => {
  await webhooks.close();
  await receiver.close();
  await ledger.close();
});

const arrived = (count: number) => eventually(() => expect(receiver.taken).toHaveLength(count));

describe('the event', () => {
  test('of a balance that falls below its threshold arrives once, and again after a deposit', async () => {
    const owner = await ledger.account(6);
    await webhookTo(ledger.database, owner, receiver.url, ['balance.low']);
    await setBalanceAlert(ledger.database, 40_000n, await managerOf(ledger.database, owner));
    for (let sent = 0; sent < 2; sent += 1) await ledger.queued(owner);
    expect(await ledger.database.query('select from event_batch where account_id = $1', [owner])).toHaveLength(0);
    for (let sent = 0; sent < 3; sent += 1) await ledger.queued(owner);
    await bookDeposit(ledger.database, owner, { amount: 30_000n, currency: 'EUR' });
    await ledger.accept(owner, [batchOf([ledger.message(), ledger.message()])]);
    await arrived(2);
    expect(
      receiver.received.map(({ event }) => event).toSorted((a, b) => Number(b.data.balance) - Number(a.data.balance)),
    ).toMatchObject([
      { type: 'balance.low', data: { balance: 0.03, threshold: 0.04, currency: 'EUR', test: false } },
      { type: 'balance.low', data: { balance: 0.02, threshold: 0.04, currency: 'EUR', test: false } },
    ]);
  });

  test('of a balance that a correction takes below its threshold arrives once', async () => {
    const owner = await ledger.account(6);
    await webhookTo(ledger.database, owner, receiver.url, ['balance.low']);
    await setBalanceAlert(ledger.database, 40_000n, await managerOf(ledger.database, owner));
    const correct = (amount: bigint) =>
      adjustBalance(ledger.database, owner, { amount, reason: 'paid twice', isMeant: true });
    const before = receiver.received.length;
    // 0.06 -> 0.04 -> 0.03 -> 0.02 -> 0.05 -> 0.03
    for (const amount of [-20_000n, -10_000n, -10_000n, 30_000n, -20_000n]) await correct(amount);
    await arrived(before + 2);
    expect(receiver.received.slice(before).map(({ event }) => event.data)).toEqual(
      [0.03, 0.03].map((balance) => ({ balance, threshold: 0.04, currency: 'EUR', test: false })),
    );
    expect(await ledger.database.query('select from event_batch where account_id = $1', [owner])).toHaveLength(2);
  });

  test('of a low balance is not written when the threshold was ended', async () => {
    const owner = await ledger.account(2);
    await webhookTo(ledger.database, owner, receiver.url, ['balance.low']);
    const manager = await managerOf(ledger.database, owner);
    await setBalanceAlert(ledger.database, 20_000n, manager);
    await setBalanceAlert(ledger.database, undefined, manager);
    await ledger.queued(owner);
    expect(await ledger.database.query('select from event_batch where account_id = $1', [owner])).toHaveLength(0);
  });
});
