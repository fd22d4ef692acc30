import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { expectProblem } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import type { HttpReply } from '../support/http-client.js';

const GOOD = { recipient: RECIPIENT, message: 'hi' };
const FREE: [string, (account: TestAccount) => Promise<HttpReply>][] = [
  ['quotes', (account) => account.post('/v1/message/quote', GOOD)],
  ['balances', (account) => account.get('/v1/account/balance')],
  ['lists', (account) => account.get('/v1/account/messages?limit=100')],
  ['summaries', (account) => account.get('/v1/account')],
  ['paths that are not there', (account) => account.get('/v1/nothing')],
  ['invalid sends', (account) => account.send({ recipient: 'x', message: '' })],
  ['invalid batches', (account) => account.sendBatch([])],
  ['sends without a price', (account) => account.send({ recipient: '+9991234567', message: 'hi' })],
];

/** In rounds, because a refusal is counted when it has been answered. */
async function times(count: number, ask: () => Promise<HttpReply>): Promise<HttpReply[]> {
  const replies: HttpReply[] = [];
  while (replies.length < count) replies.push(...(await Promise.all(Array.from({ length: 20 }, ask))));
  return replies;
}
/** The same, at most 200 times, and no longer than until something is limited. */
async function untilLimited(ask: () => Promise<HttpReply>): Promise<HttpReply[]> {
  const replies: HttpReply[] = [];
  while (replies.length < 200 && limited(replies).length === 0) replies.push(...(await times(20, ask)));
  return replies;
}
const limited = (replies: readonly HttpReply[]) => replies.filter(({ status }) => status === 429);

describe('with 5 requests a second that cost nothing', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start({ settings: { FREE_REQUESTS_PER_SECOND: '5' } });
  });
  afterAll(() => gateway.close());

  test.each(FREE)(
    '%s are limited, for this account and nobody else, and told when to come back',
    async (_what, ask) => {
      const [account, other] = [await gateway.account(), await gateway.account()];
      const [refused] = limited(await untilLimited(() => ask(account)));
      if (refused === undefined) throw new Error('nothing was limited');
      expectProblem(refused, 429, 'rate_limited');
      // Refused sends count when they are answered, so twenty at once may be ten more than the fifty that are allowed.
      expect(refused.headers['retry-after']).toMatch(/^[1-3]$/);
      expect(refused.headers['ratelimit-policy']).toMatch(/^"(free|refused-sends)";q=50;w=10$/);
      expect(refused.headers.ratelimit).toMatch(/^"(free|refused-sends)";r=0;t=\d+$/);
      expect((await ask(other)).status).not.toBe(429);
      await eventually(async () => expect((await ask(account)).status).not.toBe(429), {
        timeoutMs: 20_000,
        intervalMs: 300,
      });
    },
  );

  test('sends that are paid for are not limited, not even while reads are', async () => {
    const account = await gateway.account();
    expect(limited(await untilLimited(() => account.get('/v1/account/balance'))).length).toBeGreaterThan(0);
    const sends = await times(200, () => account.send(GOOD));
    expect(new Set(sends.map(({ status }) => status))).toEqual(new Set([201]));
  });

  test('replays, which charge nothing, are limited', async () => {
    const account = await gateway.account();
    const replies = await untilLimited(() => account.send(GOOD, { 'Idempotency-Key': 'once' }));
    expect(limited(replies).length).toBeGreaterThan(0);
  });

  test('a page of long messages counts for as much as it costs', async () => {
    const account = await gateway.account();
    // Messages to there cost nothing.
    const long = { recipient: '+33612345678', message: 'x'.repeat(39_015) };
    expect((await account.sendBatch(Array.from({ length: 20 }, () => long))).status).toBe(201);
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await account.get('/v1/account/messages?limit=100')).status);
    expect(statuses[0]).toBe(200);
    expect(statuses.at(-1)).toBe(429);
  });

  test.each([
    ['a filtered list', 'account/messages?status=failed', 5],
    ['a filtered inbox', 'message/inbound?keyword=stop', 5],
    ['the usage', 'account/usage', 2],
    ['an export', 'account/ledger/export', 1],
  ])('%s counts for as much as it costs', async (_what, path, allowed) => {
    const account = await gateway.account();
    const statuses: number[] = [];
    for (let n = 0; n < allowed + 1; n += 1) statuses.push((await account.get(`/v1/${path}`)).status);
    expect(statuses).toEqual([...Array<number>(allowed).fill(200), 429]);
  });

  test('a large quote counts for as many as it has parts of 4 KiB, with a length and without', async () => {
    const messages = Array.from({ length: 100 }, () => ({ recipient: RECIPIENT, message: 'x'.repeat(1_000) }));
    for (const chunked of [false, true]) {
      const account = await gateway.account();
      const ask = () => account.request('POST', '/v1/message/quote', { json: { messages }, chunked });
      const replies = [await ask(), await ask(), await ask()];
      // 27 each, of 50.
      expect(replies[0]?.status).toBe(200);
      expect(limited(replies).length).toBeGreaterThan(0);
    }
  });
});

describe('with the settings as they are', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start();
  });
  afterAll(() => gateway.close());

  test('an account that makes 6,000 quick requests meets no limit', async () => {
    const account = await gateway.account();
    const replies: HttpReply[] = [];
    for (let round = 0; round < 30; round += 1) {
      replies.push(...(await Promise.all(Array.from({ length: 200 }, () => account.get('/v1/account/balance')))));
    }
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(replies[0]?.headers['ratelimit-policy']).toBeUndefined();
  });
});

test('with 0 nothing is limited', async () => {
  const gateway = await TestGateway.start({ settings: { FREE_REQUESTS_PER_SECOND: '0' } });
  try {
    const account = await gateway.account();
    expect(limited(await times(300, () => account.get('/v1/nothing')))).toHaveLength(0);
  } finally {
    await gateway.close();
  }
});
