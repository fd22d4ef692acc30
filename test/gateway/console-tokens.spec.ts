import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { changeAccount } from '#persistence';
import { expectProblem } from '../support/expect-problem.js';
import { type TestAccount, TestGateway } from '../support/gateway.js';

interface Token {
  readonly token: string;
  readonly expiresAt: string;
}

const TOKEN = '/v1/console/token';
const HOUR_MS = 3_600_000;

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account({ name: 'Acme' });
});
afterAll(() => gateway.close());

/** A further key of the account. */
async function keyWith(settings: Record<string, unknown>): Promise<{ keyId: string; apiKey: string }> {
  const json = { name: 'a key', scopes: ['send', 'read', 'manage'], ...settings };
  return (await account.request('POST', '/v1/account/keys', { json })).as();
}

const as = (credential: string, method: string, path: string, json?: unknown) =>
  gateway.http.request(method, path, {
    headers: { 'X-Authorization': credential },
    ...(json !== undefined && { json }),
  });

const signIn = async (apiKey: string) => (await as(apiKey, 'POST', TOKEN)).as<Token>();

describe('a key is changed for a token', () => {
  test('which says whose it is and ends after 12 hours', async () => {
    const { keyId, apiKey } = await keyWith({ name: 'desk', scopes: ['read'] });
    const reply = await as(apiKey, 'POST', TOKEN);
    expect(reply.status).toBe(201);
    expect(reply.json).toEqual({
      token: expect.stringMatching(/^hgc_[0-9a-z]{8}_[\w-]{43}$/),
      expiresAt: expect.any(String),
      accountId: account.accountId,
      accountName: 'Acme',
      keyId,
      keyName: 'desk',
      scopes: ['read'],
      senders: [],
      batchMessagesMax: 1_000,
      test: false,
    });
    const livesMs = Date.parse(reply.as<Token>().expiresAt) - Date.now();
    expect(livesMs).toBeGreaterThan(11.9 * HOUR_MS);
    expect(livesMs).toBeLessThanOrEqual(12 * HOUR_MS + 5_000);
  });

  test('that may do what its key may do, and no more', async () => {
    const { token } = await signIn((await keyWith({ scopes: ['read'] })).apiKey);
    expect((await as(token, 'GET', '/v1/account/balance')).status).toBe(200);
    const message = { recipient: '+46700100200', message: 'hello' };
    expectProblem(await as(token, 'POST', '/v1/message/send', message), 403, 'insufficient_scope');
  });

  test("which names each sender once, also the account's own among those that it may ask for", async () => {
    const { accountId, apiKey } = await gateway.account();
    await changeAccount(gateway.database, accountId, { sender: 'Acme', allowedSenders: ['Acme', 'Shop'] });
    expect((await as(apiKey, 'POST', TOKEN)).json).toMatchObject({ senders: ['Shop', 'Acme'] });
  });

  test('and a token of a test key is a test token', async () => {
    const reply = await as((await keyWith({ test: true })).apiKey, 'POST', TOKEN);
    expect(reply.json).toMatchObject({
      token: expect.stringMatching(/^hgc_test_/),
      test: true,
      accountId: account.accountId,
      accountName: 'Acme',
    });
    expect((await as(reply.as<Token>().token, 'GET', '/v1/account')).json).toMatchObject({ test: true });
  });

  test('a token of a key that expires ends with it', async () => {
    const expiresAt = new Date(Date.now() + 2 * HOUR_MS);
    const { token, expiresAt: ends } = await signIn((await keyWith({ expiresAt: expiresAt.toISOString() })).apiKey);
    expect(Date.parse(ends)).toBe(expiresAt.getTime());
    expect((await as(token, 'GET', '/v1/account/balance')).status).toBe(200);
  });
});

describe('a token ends', () => {
  test('with its key', async () => {
    const { keyId, apiKey } = await keyWith({});
    const { token } = await signIn(apiKey);
    expect((await as(token, 'GET', '/v1/account/balance')).status).toBe(200);
    await account.request('POST', `/v1/account/keys/${keyId}/revoke`);
    expectProblem(await as(token, 'GET', '/v1/account/balance'), 401, 'unauthorized');
    expectProblem(await as(apiKey, 'POST', TOKEN), 401, 'unauthorized');
  });

  test('when somebody signs out, and the other tokens of the key do not', async () => {
    const { apiKey } = await keyWith({});
    const [left, stays] = [await signIn(apiKey), await signIn(apiKey)];
    expect((await as(left.token, 'DELETE', TOKEN)).status).toBe(200);
    expectProblem(await as(left.token, 'GET', '/v1/account/balance'), 401, 'unauthorized');
    expect((await as(stays.token, 'GET', '/v1/account/balance')).status).toBe(200);
  });

  test('when its time is over', async () => {
    const { token } = await signIn((await keyWith({})).apiKey);
    await gateway.database.query(`update console_token set expires_at = now() where token_id = $1`, [
      token.split('_')[1],
    ]);
    expectProblem(await as(token, 'GET', '/v1/account/balance'), 401, 'key_expired');
  });

  test('when its key has made twenty newer ones', async () => {
    const { apiKey } = await gateway.account();
    const tokens = [];
    for (let made = 0; made < 21; made++) tokens.push(await signIn(apiKey));
    const statuses = await Promise.all(tokens.map(({ token }) => as(token, 'GET', '/v1/account/balance')));
    expect(statuses.map(({ status }) => status)).toEqual([401, ...Array(20).fill(200)]);
  });
});

describe('a token is not a key', () => {
  test('it makes no other token', async () => {
    const { token } = await signIn((await keyWith({})).apiKey);
    expectProblem(await as(token, 'POST', TOKEN), 403, 'api_key_required');
  });

  test('a key is not ended as a token', async () => {
    expectProblem(await as((await keyWith({})).apiKey, 'DELETE', TOKEN), 404, 'not_found');
  });

  test('the secret is nowhere in the database', async () => {
    const { token } = await signIn((await keyWith({})).apiKey);
    const rows = await gateway.database.query(`select t::text as line from console_token t`);
    expect(JSON.stringify(rows)).not.toContain(token.slice(-43));
  });

  test.each(['hgc_nothing1_', 'hgc_test_nothing1_'])('one that nobody made is refused (%s)', async (start) => {
    expectProblem(await as(`${start}${'a'.repeat(43)}`, 'GET', '/v1/account/balance'), 401, 'unauthorized');
  });
});
