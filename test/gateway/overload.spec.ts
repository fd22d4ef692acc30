import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { setGuards } from '#persistence';
import { eventually } from '../support/eventually.js';
import { expectProblem } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import type { HttpReply } from '../support/http-client.js';

let gateway: TestGateway;
beforeAll(async () => {
  const settings = { ACCEPT_PENDING_MAX: '5', ACCEPT_WAIT_MAX_MS: '400', DATABASE_POOL_SIZE: '8' };
  gateway = await TestGateway.start({ settings });
});
afterAll(() => gateway.close());

const GOOD = { recipient: RECIPIENT, message: 'hi' };

/** Holds the account's balance row, as a commit that does not end would. */
async function whileHeld<T>(account: TestAccount, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: gateway.databaseUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('select from account_balance where account_id = $1 for update', [account.accountId]);
    return await work();
  } finally {
    await client.query('rollback');
    await client.end();
  }
}

describe('when more waits than may', () => {
  test('the next send is refused at once with 503 and Retry-After; those that waited are kept when the way is free', async () => {
    const account = await gateway.account();
    const sends: Promise<HttpReply>[] = [];
    let answered = 0;
    await whileHeld(account, () => {
      for (let n = 0; n < 12; n += 1) sends.push(account.send(GOOD).finally(() => (answered += 1)));
      // All but the five that may wait.
      return eventually(() => answered >= 7);
    });
    const replies = await Promise.all(sends);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused.length).toBeGreaterThanOrEqual(7);
    for (const shed of refused) {
      expectProblem(shed, 503, 'overloaded');
      expect(shed.headers['retry-after']).toBe('1');
    }
    expect((await account.standing()).messages).toBe(replies.length - refused.length);
  });

  test('waiting has an end: 503, and the same key buys the message once, whatever became of the first try', async () => {
    const account = await gateway.account();
    const keys = [0, 1, 2].map((n) => ({ 'Idempotency-Key': `held-${n}` }));
    const replies = await whileHeld(account, async () => {
      const first = account.send(GOOD, keys[0]);
      const behind = keys.slice(1).map((key) => account.send(GOOD, key));
      return Promise.all([first, ...behind]);
    });
    for (const reply of replies) {
      expect(reply.status).toBe(503);
      expect(reply.headers['retry-after']).toBe('1');
      expect(['overloaded', 'unavailable']).toContain(reply.as<{ code: string }>().code);
    }
    for (const key of keys) expect((await account.send(GOOD, key)).status).toBe(201);
    expect(await account.standing()).toEqual({ balance: 99.775, messages: 3 });
  });

  test('a send that was refused so is no message that the guards count', async () => {
    const account = await gateway.account();
    await setGuards(gateway.database, account.accountId, { recipientHourMax: 2 });
    // From here on the gateway knows the guard.
    expect((await account.send({ ...GOOD, recipient: '+447700900123' })).status).toBe(201);
    await whileHeld(account, async () => expectProblem(await account.send(GOOD), 503, 'overloaded'));
    for (let n = 0; n < 2; n += 1) expect((await account.send(GOOD)).status).toBe(201);
  });

  test('a stuck account does not hold up the others', async () => {
    const [stuck, free] = [await gateway.account(), await gateway.account()];
    await whileHeld(stuck, async () => {
      const waiting = stuck.send(GOOD);
      expect((await free.send(GOOD)).status).toBe(201);
      expect((await waiting).status).toBe(503);
    });
  });

  test('reads go on', async () => {
    const account = await gateway.account();
    await whileHeld(account, async () => {
      expect((await account.get('/v1/account/balance')).json).toEqual({ balance: 100, currency: 'EUR' });
    });
  });
});
