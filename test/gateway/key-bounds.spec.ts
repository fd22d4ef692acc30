import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rotateApiKey } from '#persistence';
import { eventually } from '../support/eventually.js';
import { expectProblem } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import type { Document } from '../support/openapi.js';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start({ settings: { TRUSTED_PROXIES: '127.0.0.0/8' } });
  account = await gateway.account();
});
afterAll(() => gateway.close());

const GOOD = { recipient: RECIPIENT, message: 'hi' };
const BALANCE = '/v1/account/balance';
const SCOPES = ['send', 'read', 'manage'] as const;

describe('a key with a scope', () => {
  test.each(SCOPES)('%s can call every endpoint that the document gives to it, and no other', async (scope) => {
    const key = await account.withKey({ scopes: [scope] });
    const { paths } = (await gateway.http.request('GET', '/openapi.json')).as<Document>();
    let allowed = 0;
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { description }] of Object.entries(methods)) {
        const [, needed] = /Needs a key with the scope `(\w+)`\.$/.exec(description) ?? [];
        const reply = await key.request(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x'), {
          ...(method !== 'get' && { json: {} }),
        });
        if (needed === scope) {
          expect([path, method, reply.status]).not.toEqual([path, method, 403]);
          allowed += 1;
        } else {
          expect(expectProblem(reply, 403, 'insufficient_scope')).toMatchObject({
            scope: needed,
            detail: `This API key does not have the scope \`${needed}\`.`,
          });
        }
      }
    }
    expect(allowed).toBeGreaterThan(2);
  });

  test('that is missing is refused before anything is charged, and before a body is read', async () => {
    const poorer = await gateway.account();
    const reader = await poorer.withKey({ scopes: ['read'] });
    expectProblem(await reader.send(GOOD), 403, 'insufficient_scope');
    expectProblem(await reader.post('/v1/message/send-batch', { messages: [GOOD] }), 403, 'insufficient_scope');
    const unread = await reader.request('POST', '/v1/message/send', { body: '{', headers: { 'Content-Type': 'x' } });
    expectProblem(unread, 403, 'insufficient_scope');
    expect(await reader.standing()).toEqual({ balance: 100, messages: 0 });
  });

  test('is no way around it to write the path differently or to use another method', async () => {
    const sender = await account.withKey({ scopes: ['send'] });
    for (const path of ['/v1/account/%62alance', '/%761/account/balance', '/v1/account/balance?page=1']) {
      expectProblem(await sender.get(path), 403, 'insufficient_scope');
    }
    expect((await sender.request('HEAD', BALANCE)).status).toBe(403);
    expectProblem(await sender.get('/v1/nothing'), 404, 'not_found');
  });

  test('is what an older key has: all of them', async () => {
    expect((await account.send(GOOD)).status).toBe(201);
    expect((await account.get(BALANCE)).status).toBe(200);
    expect((await account.get('/v1/account/keys')).status).toBe(200);
  });
});

describe('a key with networks', () => {
  const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

  test.each([
    [['192.0.2.0/24'], ['192.0.2.1', '::ffff:192.0.2.9'], ['192.0.3.1', '127.0.0.1', '2001:db8::1']],
    [
      ['192.0.2.7', '198.51.100.0/25'],
      ['192.0.2.7', '198.51.100.127'],
      ['192.0.2.8', '198.51.100.128'],
    ],
    [['2001:db8:1::/48'], ['2001:db8:1:2::3', '2001:0DB8:0001::1'], ['2001:db8:2::1', '192.0.2.1']],
    [['0.0.0.0/0'], ['203.0.113.5'], ['2001:db8::1']],
  ])('%j works from %j and not from %j', async (networks, inside, outside) => {
    const key = await account.withKey({ networks });
    for (const address of inside) {
      expect([address, (await key.request('GET', BALANCE, from(address))).status]).toEqual([address, 200]);
    }
    for (const address of outside) {
      const reply = await key.request('GET', BALANCE, from(address));
      expect(expectProblem(reply, 403, 'network_not_allowed').detail).toContain(address);
    }
  });

  test('is not fooled by a header from where no proxy is trusted', async () => {
    const plain = await TestGateway.start({ beside: gateway });
    try {
      const key = (await account.withKey({ networks: ['192.0.2.0/24'] })).at(plain);
      expectProblem(await key.request('GET', BALANCE, from('192.0.2.1')), 403, 'network_not_allowed');
    } finally {
      await plain.close();
    }
  });
});

describe('a key with an expiry', () => {
  test('works until then, and is told that it has expired from then on, though the gateway still remembers it', async () => {
    const key = await account.withKey({ expiresAt: new Date(Date.now() + 2_500) });
    expect((await key.get(BALANCE)).status).toBe(200);
    // A key is remembered for 5 seconds.
    await eventually(async () => (await key.get(BALANCE)).status === 401, { timeoutMs: 4_000, intervalMs: 50 });
    const reply = await key.get(BALANCE);
    expectProblem(reply, 401, 'key_expired');
    expect(reply.headers['www-authenticate']).toBe('ApiKey realm="heliograph", header="X-Authorization"');
  });

  test('that was rotated works beside the new one, and ends at once at every gateway when no overlap is wanted', async () => {
    const other = await TestGateway.start({ beside: gateway });
    try {
      const old = await account.withKey({ scopes: ['read'] });
      const status = async (key: TestAccount) => (await key.get(BALANCE)).status;
      expect([await status(old), await status(old.at(other))]).toEqual([200, 200]);
      const next = old.by(await rotateApiKey(gateway.database, old.keyId, { overlapSeconds: 60 }));
      expect([await status(old), await status(next)]).toEqual([200, 200]);
      expectProblem(await next.send(GOOD), 403, 'insufficient_scope');
      await rotateApiKey(gateway.database, next.keyId, { overlapSeconds: 0 });
      for (const place of [gateway, other]) {
        await eventually(async () => (await status(next.at(place))) === 401, { timeoutMs: 4_000 });
        expectProblem(await next.at(place).get(BALANCE), 401, 'key_expired');
        expect(await status(old.at(place))).toBe(200);
      }
    } finally {
      await other.close();
    }
  });
});
