import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { formatMicros, parseMicros } from '#billing';
import { loadConfig } from '#config';
import { addCarrier } from '#persistence';
import { createLogger } from '#telemetry';
import { type RunningSimulator, startSimulator } from '../../apps/carrier-simulator/simulator.js';
import { type RunningWorker, startWorker } from '../../apps/worker/start-worker.js';
import type { AccountSummary, MessageOrder, MessageOrderList, SendResult } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { type TestAccount, TestGateway } from '../support/gateway.js';
import { smppCarrier } from '../support/smpp-carrier.js';

/** What the simulated carrier does with a number (docs/simulator.md), and what a client sees of it in the end. */
const DELIVERED = '+46700100200';
const REFUSED = '+467099900001';
const UNDELIVERABLE = '+467099900020';
const FINAL = ['delivered', 'undelivered', 'failed'];

describe('while messages are delivered and refused,', () => {
  let gateway: TestGateway;
  let simulator: RunningSimulator;
  let worker: RunningWorker;
  beforeAll(async () => {
    gateway = await TestGateway.start();
    simulator = await startSimulator({ latencyMs: 5, receiptDelayMs: 20 });
    await addCarrier(gateway.database, smppCarrier({ name: 'simulator', port: simulator.port }));
    worker = await startWorker(loadConfig(gateway.settings), createLogger('worker', 'silent'));
  });
  afterAll(async () => {
    await worker.close();
    await simulator.close();
    await gateway.close();
  });

  const summaryOf = async (account: TestAccount) => (await account.get('/v1/account')).as<AccountSummary>();

  async function allOrders(account: TestAccount): Promise<MessageOrder[]> {
    const orders: MessageOrder[] = [];
    for (let page = 1; ; page += 1) {
      const { data, pagination } = (
        await account.get(`/v1/account/messages?limit=50&page=${page}`)
      ).as<MessageOrderList>();
      orders.push(...data);
      if (page >= pagination.total_pages) return orders;
    }
  }

  const exact = (amount: number) => parseMicros(amount.toFixed(6));

  test('consumed = deposits - credit = the sum of the amounts over all pages, at every moment', async () => {
    const account = await gateway.account({ deposit: '50' });
    const batch = Array.from({ length: 150 }, (_, n) => ({
      recipient: [DELIVERED, REFUSED, UNDELIVERABLE][n % 3] ?? '',
      message: 'x'.repeat(n % 2 ? 100 : 200),
    }));
    // In parts: each ends with a moment of rest, so that there is more than one to compare however fast they go out.
    const PARTS = 3;
    let comparisons = 0;
    for (let part = 1; part <= PARTS; part += 1) {
      const count = (batch.length / PARTS) * part;
      await account.sendBatch(batch.slice(count - batch.length / PARTS, count));
      await eventually(
        async () => {
          const before = await summaryOf(account);
          const orders = await allOrders(account);
          const after = await summaryOf(account);
          for (const { totalDeposits, totalConsumed, creditRemaining, orderSummary } of [before, after]) {
            expect(exact(totalConsumed)).toBe(exact(totalDeposits) - exact(creditRemaining));
            expect(orderSummary.messages).toEqual({ count, totalAmount: totalConsumed });
          }
          // Nothing was released while the pages were read, so they must add up to the summary.
          if (before.totalConsumed === after.totalConsumed) {
            comparisons += 1;
            const sum = orders.reduce((total, { amount }) => total + exact(amount), 0n);
            expect(formatMicros(sum)).toBe(String(before.totalConsumed));
          }
          return orders.every(({ external_status }) => FINAL.includes(external_status));
        },
        { intervalMs: 5 },
      );
    }
    expect(comparisons).toBeGreaterThanOrEqual(PARTS);

    // What the carrier took stays charged, what it refused is given back.
    const orders = (await allOrders(account)).toReversed();
    orders.forEach((order, n) => {
      const price = n % 2 ? 0.075 : 0.15;
      expect({ status: order.external_status, amount: order.amount }).toEqual(
        [
          { status: 'delivered', amount: price },
          { status: 'failed', amount: 0 },
          { status: 'undelivered', amount: price },
        ][n % 3],
      );
    });
    expect(await summaryOf(account)).toMatchObject({ totalDeposits: 50, totalConsumed: 11.25, creditRemaining: 38.75 });
  });

  test.each([
    ['39,015 standard characters', 'x', 39_015],
    ['16,065 extended units', 'é', 16_065],
  ])('%s reach the handset as one message of 255 segments', async (_what, character, count) => {
    const account = await gateway.account({ deposit: '50' });
    const message = character.repeat(count);
    const sent = (await account.send({ recipient: DELIVERED, message })).as<SendResult>();
    expect(sent.balanceDeduction).toBe('19.125');
    const order = await eventually(async () => {
      const [only] = (await account.get('/v1/account/messages')).as<MessageOrderList>().data;
      expect(only?.external_status).toBe('delivered');
      return only;
    });
    expect(order).toMatchObject({ message_uuid: sent.messageId, amount: 19.125 });
    expect(order?.message === message).toBe(true);
  });
});
