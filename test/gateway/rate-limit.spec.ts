import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { changeAccount } from '#persistence';
import { eventually } from '../support/eventually.js';
import { expectProblem } from '../support/expect-problem.js';
import { RECIPIENT, TestGateway } from '../support/gateway.js';
import type { HttpReply } from '../support/http-client.js';

let gateway: TestGateway;
let other: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
  other = await TestGateway.start({ beside: gateway });
});
afterAll(async () => {
  await other.close();
  await gateway.close();
});

const GOOD = { recipient: RECIPIENT, message: 'hi' };

/** The first of the answers that is a refusal, which has to be for the rate. */
function refusedOf(replies: readonly HttpReply[]): HttpReply {
  const refused = replies.find(({ status }) => status !== 201);
  if (refused === undefined) throw new Error('nothing was refused');
  expectProblem(refused, 429, 'rate_limited');
  return refused;
}

describe('an account with a rate limit', () => {
  test('of 40 sends at once over two gateways as many pass as it may, to the one; the rest cost nothing', async () => {
    const account = await gateway.account({ rateLimitPerSecond: 7 });
    const beside = account.at(other);
    const startedMs = performance.now();
    const replies = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? account : beside).send(GOOD)));
    const tookMs = performance.now() - startedMs;
    const passed = replies.filter(({ status }) => status === 201).length;
    // Seven at once, and one more for every seventh of a second that the sending itself took.
    expect(passed).toBeGreaterThanOrEqual(7);
    expect(passed).toBeLessThanOrEqual(7 + Math.ceil((tookMs / 1_000) * 7));
    for (const reply of replies.filter(({ status }) => status !== 201)) expectProblem(reply, 429, 'rate_limited');
    expect((await account.standing()).messages).toBe(passed);
  });

  test('a refusal says when to come back, and then there is room', async () => {
    const account = await gateway.account({ rateLimitPerSecond: 1 });
    // At once: one after the other, the second may come when there is room again.
    const replies = await Promise.all([account.send(GOOD), account.send(GOOD), account.send(GOOD)]);
    const refused = refusedOf(replies);
    expect(replies.map(({ status }) => status)).toContain(201);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.headers['ratelimit-policy']).toBe('"messages";q=1;w=1');
    expect(refused.headers.ratelimit).toBe('"messages";r=0;t=1');
    await eventually(async () => (await account.send(GOOD)).status === 201, { intervalMs: 100 });
  });

  test('a batch counts as many as it has messages, and reads are not limited', async () => {
    const account = await gateway.account({ rateLimitPerSecond: 20 });
    const batch = () => account.sendBatch(Array(15).fill(GOOD));
    const replies = await Promise.all([batch(), batch()]);
    expect(replies.map(({ status }) => status)).toContain(201);
    refusedOf(replies);
    expect((await account.send(GOOD)).status).toBe(201);
    const reads = await Promise.all(Array.from({ length: 20 }, () => account.get('/v1/account/balance')));
    expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('a batch of more than a second allows passes after a pause, and what follows waits until the rate is kept', async () => {
    const account = await gateway.account({ rateLimitPerSecond: 10 });
    expect((await account.sendBatch(Array(600).fill(GOOD))).status).toBe(201);
    // 600 messages are 60 seconds, of which one may be in advance.
    for (const refused of [await account.send(GOOD), await account.sendBatch(Array(600).fill(GOOD))]) {
      expectProblem(refused, 429, 'rate_limited');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    }
    await gateway.database.query(
      "update account_balance set rate_limit_until = rate_limit_until - interval '1 minute' where account_id = $1",
      [account.accountId],
    );
    expect((await account.send(GOOD)).status).toBe(201);
    expect((await account.standing()).messages).toBe(601);
  });

  test('a send that is refused for want of money does not count', async () => {
    const account = await gateway.account({ rateLimitPerSecond: 2, deposit: '0.1' });
    for (let n = 0; n < 5; n += 1) {
      expectProblem(await account.sendBatch([GOOD, GOOD]), 402, 'insufficient_balance');
    }
    expect((await account.send(GOOD)).status).toBe(201);
  });

  test('a replay of what was accepted is not limited', async () => {
    const account = await gateway.account({ rateLimitPerSecond: 1 });
    const key = { 'Idempotency-Key': 'once' };
    const first = await account.send(GOOD, key);
    const replays = await Promise.all(Array.from({ length: 10 }, () => account.send(GOOD, key)));
    expect(new Set(replays.map(({ status, text }) => status + text))).toEqual(new Set([`201${first.text}`]));
  });

  test('is limited no more once the operator lifts it', async () => {
    const account = await gateway.account({ rateLimitPerSecond: 1 });
    await changeAccount(gateway.database, account.accountId, { rateLimitPerSecond: null });
    const replies = await Promise.all(Array.from({ length: 10 }, () => account.send(GOOD)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
  });
});

test('an account without a limit is not limited', async () => {
  const account = await gateway.account();
  const replies = await Promise.all(Array.from({ length: 60 }, () => account.send(GOOD)));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
  expect(replies[0]?.headers['ratelimit-policy']).toBeUndefined();
});
