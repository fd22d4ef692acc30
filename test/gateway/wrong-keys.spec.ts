import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Database, type KeyHolder } from '#persistence';
import { ApiKeys } from '../../apps/gateway/http/api-keys.js';
import { clientNetwork } from '../../apps/gateway/http/client-network.js';
import { expectProblem } from '../support/expect-problem.js';
import { type TestAccount, TestGateway } from '../support/gateway.js';
import type { HttpReply } from '../support/http-client.js';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start({ settings: { TRUSTED_PROXIES: '127.0.0.0/8' } });
  account = await gateway.account();
});
afterAll(() => gateway.close());

const wrongKey = () => `hg_${randomBytes(4).toString('hex')}_${randomBytes(32).toString('base64url')}`;
const ask = (apiKey: string, from?: string) =>
  gateway.http.request('GET', '/v1/account/balance', {
    headers: { 'X-Authorization': apiKey, ...(from !== undefined && { 'X-Forwarded-For': from }) },
  });

describe('wrong keys', () => {
  test('from one address are 429 after a thousand, while valid keys from there and wrong ones from elsewhere are answered as ever', async () => {
    const from = '192.0.2.1';
    const replies: HttpReply[] = [];
    for (let round = 0; round < 11; round += 1) {
      replies.push(...(await Promise.all(Array.from({ length: 200 }, () => ask(wrongKey(), from)))));
    }
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401, 429]));
    const [refused = replies[0]] = replies.filter(({ status }) => status === 429);
    if (refused === undefined) throw new Error('nothing was answered');
    expectProblem(refused, 429, 'rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(refused.headers['ratelimit-policy']).toBe('"wrong-keys";q=1000;w=20');
    expect((await ask(account.apiKey, from)).status).toBe(200);
    // Seen for the first time, in the middle of a flood.
    const fresh = await gateway.account();
    const flood = Promise.all(Array.from({ length: 400 }, () => ask(wrongKey(), from)));
    expect((await ask(fresh.apiKey, from)).status).toBe(200);
    await flood;
    expectProblem(await ask(wrongKey(), '192.0.2.2'), 401, 'unauthorized');
  });

  test('that come together are few queries, and do not push out the keys that are known', async () => {
    let queries = 0;
    const database = await Database.open({ url: gateway.databaseUrl, poolSize: 2, applicationName: 'spec' });
    const query = database.query.bind(database);
    database.query = ((...args: Parameters<typeof query>) => {
      queries += 1;
      return query(...args);
    }) as typeof database.query;
    const keys = new ApiKeys(database);
    const holders: (KeyHolder | undefined)[] = [];
    try {
      holders.push(await keys.holderOf(account.apiKey));
      for (let round = 0; round < 10; round += 1) {
        holders.push(...(await Promise.all(Array.from({ length: 2_500 }, () => keys.holderOf(wrongKey())))));
      }
      // 25,000 keys were 25,000 queries, and the 20,000th cleared what was known.
      expect(queries).toBeLessThan(200);
      expect(holders.filter((holder) => holder !== undefined)).toHaveLength(1);
      const queriesBefore = queries;
      expect(await keys.holderOf(account.apiKey)).toMatchObject({ accountId: account.accountId });
      // At most one: on a slow machine the five seconds may be over for which a key is trusted.
      expect(queries - queriesBefore).toBeLessThanOrEqual(1);
      // One that is asked for again is remembered, too.
      const wrong = wrongKey();
      await keys.holderOf(wrong);
      const afterFirst = queries;
      await Promise.all(Array.from({ length: 50 }, () => keys.holderOf(wrong)));
      expect(queries).toBe(afterFirst);
    } finally {
      await database.close();
    }
  });
});

test.each([
  [undefined, 'hung up'],
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1::9', '2001:db8:1:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('the address %s counts as %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

describe('X-Forwarded-For', () => {
  test('of a client is not believed unless it comes through a proxy that the operator trusts', async () => {
    const plain = await TestGateway.start({ beside: gateway });
    try {
      const from = (n: number) => ({ 'X-Authorization': wrongKey(), 'X-Forwarded-For': `198.51.100.${n % 250}` });
      // What is allowed again meanwhile is 50 a second: a slow machine needs more requests to be above that.
      const statuses = new Set<number>();
      for (let sent = 0; sent < 20_000 && !statuses.has(429); sent += 200) {
        const replies = await Promise.all(
          Array.from({ length: 200 }, (_, n) => plain.http.request('GET', '/v1/account', { headers: from(sent + n) })),
        );
        for (const { status } of replies) statuses.add(status);
      }
      expect([...statuses]).toContain(429);
    } finally {
      await plain.close();
    }
  });
});
