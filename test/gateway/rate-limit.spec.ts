import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { changeAccount } from '#persistence';
import { standingOf } from '../../apps/gateway/http/rate-standings.js';
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
    expect(refused.headers['ratelimit-policy']).toBe('"messages";q=1;w=1;heliograph-unit="messages"');
    expect(refused.json).toMatchObject({ 'violated-policies': ['messages'] });
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

describe('the RateLimit headers of draft-ietf-httpapi-ratelimit-headers-11', () => {
  const policy = '"messages";q=50;w=1;heliograph-unit="messages"';
  const remaining = (reply: HttpReply): number => {
    expect(reply.headers['ratelimit-policy']).toBe(policy);
    const [, rest] = /^"messages";r=(\d+);t=1$/.exec(String(reply.headers.ratelimit)) ?? [];
    return Number(rest);
  };

  test('stand on every answer of a limited account: sends, reads and refusals', async () => {
    const account = await gateway.account({ rateLimitPerSecond: 50 });
    const sender = await account.withKey({ scopes: ['send'] });
    expect(remaining(await account.get('/v1/account'))).toBe(50);
    // At 50 a second one comes back in 20 ms, so a slow machine may see more than what is left.
    const sent = await account.sendBatch(Array(45).fill(GOOD));
    expect(remaining(sent)).toBe(5);
    const replies = [
      await account.get('/v1/account/balance'),
      await account.get('/v1/account/messages?page=0'),
      await account.get('/v1/nothing'),
      await account.post('/v1/message/quote', GOOD),
      await account.send({ recipient: 'x', message: '' }),
      await account.request('POST', '/v1/message/send', { body: '{', headers: { 'Content-Type': 'text/plain' } }),
      await sender.get('/v1/account'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 400, 404, 200, 400, 415, 403]);
    let least = 5;
    for (const reply of replies) {
      expect(remaining(reply)).toBeGreaterThanOrEqual(least);
      least = remaining(reply);
    }
  });

  test('are true at a gateway that others have sent through, and tell of each send as it leaves', async () => {
    const account = await gateway.account({ rateLimitPerSecond: 50 });
    const beside = account.at(other);
    expect(remaining(await beside.get('/v1/account'))).toBe(50);
    const startedMs = performance.now();
    await account.sendBatch(Array(40).fill(GOOD));
    const seen = remaining(await beside.get('/v1/account'));
    const backMax = Math.ceil((performance.now() - startedMs) / 20);
    expect(seen).toBeGreaterThanOrEqual(10);
    expect(seen).toBeLessThanOrEqual(10 + backMax);
    const next = remaining(await beside.sendBatch(Array(5).fill(GOOD)));
    expect(next).toBeLessThanOrEqual(10 + Math.ceil((performance.now() - startedMs) / 20) - 5);
  });

  test('of an account in debt say when it may send, and Retry-After is never earlier than that', async () => {
    const account = await gateway.account({ rateLimitPerSecond: 10 });
    expect((await account.sendBatch(Array(40).fill(GOOD))).headers.ratelimit).toBe('"messages";r=0;t=4');
    const replies = [await account.send(GOOD), await account.get('/v1/account'), await account.sendBatch([GOOD, GOOD])];
    expect(replies.map(({ status }) => status)).toEqual([429, 200, 429]);
    for (const { headers } of replies) {
      const [, seconds] = /^"messages";r=0;t=([34])$/.exec(String(headers.ratelimit)) ?? [];
      expect(Number(headers['retry-after'] ?? 9)).toBeGreaterThanOrEqual(Number(seconds));
    }
  });

  test('of a batch that does not fit tell what would fit', async () => {
    const account = await gateway.account({ rateLimitPerSecond: 50 });
    await account.sendBatch(Array(30).fill(GOOD));
    const refused = await account.sendBatch(Array(50).fill(GOOD));
    expectProblem(refused, 429, 'rate_limited');
    expect(remaining(refused)).toBeGreaterThanOrEqual(20);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  test('stand beside those of another limit', async () => {
    const strict = await TestGateway.start({ beside: gateway, settings: { FREE_REQUESTS_PER_SECOND: '1' } });
    try {
      const account = (await gateway.account({ rateLimitPerSecond: 50 })).at(strict);
      const replies = await Promise.all(Array.from({ length: 30 }, () => account.get('/v1/account')));
      const refused = replies.find(({ status }) => status === 429);
      expect(refused?.headers['ratelimit-policy']).toBe(`"free";q=10;w=10, ${policy}`);
      expect(refused?.headers.ratelimit).toMatch(/^"free";r=0;t=\d+(, "messages";r=50;t=1)?$/);
      expect(refused?.json).toMatchObject({ 'violated-policies': ['free'] });
    } finally {
      await strict.close();
    }
  });

  test('do not hold an answer back while the database does not say what remains', async () => {
    const account = await gateway.account({ rateLimitPerSecond: 50 });
    expect((await account.get('/v1/account')).status).toBe(200);
    const client = new pg.Client({ connectionString: gateway.databaseUrl });
    await client.connect();
    await client.query('begin');
    await client.query('lock table account_balance');
    const reply = await account.get('/v1/nothing');
    await client.query('rollback');
    await client.end();
    expect(reply.status).toBe(404);
    expect(reply.headers['ratelimit-policy']).toBe(policy);
    expect(reply.headers.ratelimit).toBeUndefined();
  });

  test.each([
    [10, 0, 10, 1],
    [10, -5_000, 10, 1],
    [10, 100, 9, 1],
    [10, 1_000, 0, 1],
    [10, 1_001, 0, 1],
    [10, 2_000, 0, 2],
    [1, 1_000, 0, 1],
    [1, 3_500, 0, 4],
    [1_000_000, 0.5, 999_500, 1],
  ])('at %d a second and %d ms ahead: %d messages, within %d s', (perSecond, aheadMs, remains, windowSeconds) => {
    expect(standingOf(perSecond, aheadMs)).toEqual({ remaining: remains, windowSeconds });
  });
});

test('an account without a limit is not limited', async () => {
  const account = await gateway.account();
  const replies = await Promise.all(Array.from({ length: 60 }, () => account.send(GOOD)));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
  expect(replies[0]?.headers['ratelimit-policy']).toBeUndefined();
});
