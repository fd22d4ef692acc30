import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { bookDeposit, createAccount } from '#persistence';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { servicePerTest } from '../support/service-per-test.js';

describe('while somebody holds the balance of an account', () => {
  // The lease outlasts the hold on a slow machine too: after it the reconciler would decide about the message.
  const start = servicePerTest({ backEnd: CHEAPEST_BACK_END, settings: { CLAIM_LEASE_SECONDS: '120' } });

  test('what others send is sent and delivered, and then what that account sent', async () => {
    const service = await start({ simulator: { latencyMs: 1_000, receiptDelayMs: 5 } });
    const { account, apiKey } = await createAccount(service.database, { name: 'Held', currency: 'EUR' });
    await bookDeposit(service.database, account.accountId, { amount: 1_000_000n, currency: 'EUR' });
    const states = async (accountId: string) =>
      (
        await service.database.query<{ state: string }>(
          'select state from message_order where account_id = $1 order by sequence',
          [accountId],
        )
      ).map(({ state }) => state);

    const holder = new pg.Client(service.settings.DATABASE_URL);
    await holder.connect();
    const answer = await fetch(`${service.gatewayUrl}/v1/message/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-authorization': apiKey },
      body: JSON.stringify({ recipient: '46701234567', message: 'held' }),
    });
    expect(answer.status).toBe(201);
    // The carrier answers only after the balance is held, so that the answer cannot be recorded.
    await eventually(async () => expect(await states(account.accountId)).toEqual(['sending']));
    try {
      await holder.query('begin');
      await holder.query('select from account_balance where account_id = $1 for update', [account.accountId]);
      await service.send('46701234568', 'free');
      await eventually(async () => expect(await states(service.accountId)).toEqual(['delivered']));
      expect(await states(account.accountId)).toEqual(['sending']);
    } finally {
      await holder.end();
    }
    await eventually(async () => expect(await states(account.accountId)).toEqual(['delivered']));
  });
});
