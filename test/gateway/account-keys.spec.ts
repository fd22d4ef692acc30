import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiKeyOverview, listApiKeys, listOperatorChanges, revokeApiKey } from '#persistence';
import { TIMESTAMP } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

const KEYS = '/v1/account/keys';
const GOOD = { recipient: RECIPIENT, message: 'hi' };
const SOON = new Date(Date.now() + 3_600_000).toISOString();

interface Key {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: string[];
  readonly networks: string[];
  readonly status: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}
interface NewKey extends Key {
  readonly apiKey: string;
  readonly replacedKey?: Key;
}

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.close());

async function fresh(): Promise<TestAccount> {
  account = await gateway.account();
  return account;
}
const create = async (by: TestAccount, body: object): Promise<NewKey> => {
  const reply = await by.post(KEYS, body);
  expect(reply.status).toBe(201);
  return reply.as<NewKey>();
};
const stored = async (keyId: string): Promise<ApiKeyOverview | undefined> =>
  (await listApiKeys(gateway.database, account.accountId)).find((key) => key.keyId === keyId);

describe('the owner of an account', () => {
  test('makes a key, uses it at once, and sees its text this one time only', async () => {
    await fresh();
    const made = await create(account, {
      name: '  shop  ',
      scopes: ['read', 'send', 'send'],
      networks: ['127.0.0.9/8', '2001:DB8::/32'],
      expiresAt: SOON,
    });
    expect(made).toEqual({
      keyId: expect.stringMatching(/^[0-9a-z]{8}$/),
      apiKey: expect.stringMatching(new RegExp(`^hg_${made.keyId}_[\\w-]{43}$`)),
      name: 'shop',
      test: false,
      scopes: ['send', 'read'],
      networks: ['127.0.0.0/8', '2001:db8::/32'],
      status: 'active',
      createdAt: expect.stringMatching(TIMESTAMP),
      expiresAt: SOON,
      lastUsedAt: null,
      revokedAt: null,
    });
    expect((await account.by(made).send(GOOD)).status).toBe(201);
    const { apiKey, ...shown } = made;
    const reply = await account.get(`${KEYS}/${made.keyId}`);
    expect(reply.json).toEqual(shown);
    expect((await account.get(KEYS)).text).not.toContain(apiKey);
  });

  test('lists all keys of the account, newest first, in pages, and none of another account', async () => {
    await fresh();
    const names = ['first', 'second', 'third'];
    const made: NewKey[] = [];
    for (const name of names) made.push(await create(account, { name, scopes: ['send'] }));
    await gateway.account();
    const page = (await account.get(`${KEYS}?page=1&limit=2`)).as<{ data: Key[]; pagination: unknown }>();
    expect(page.data.map(({ name }) => name)).toEqual(['third', 'second']);
    expect(page.pagination).toEqual({ page: 1, limit: 2, total: 4, total_pages: 2 });
    const next = (await account.get(`${KEYS}?page=2&limit=2`)).as<{ data: Key[] }>();
    expect(next.data.map(({ keyId }) => keyId)).toEqual([made[0]?.keyId, account.keyId]);
    expect(next.data[1]).toMatchObject({ name: '', scopes: ['send', 'read', 'manage'], networks: [], expiresAt: null });
  });

  test('has a name of as many characters as the document says, also of emoji', async () => {
    const name = '📦'.repeat(100);
    expect(await create(account, { name, scopes: ['send'] })).toMatchObject({ name });
    expectProblem(await account.post(KEYS, { name: `${name}x`, scopes: ['send'] }), 400, 'invalid_request');
  });

  test('renames a key, and changes nothing else of it', async () => {
    await fresh();
    const { keyId } = await create(account, { name: 'shop', scopes: ['send'] });
    const reply = await account.request('PATCH', `${KEYS}/${keyId}`, { json: { name: 'store' } });
    expect(reply.json).toEqual({ ...(await account.get(`${KEYS}/${keyId}`)).as<Key>(), name: 'store' });
    const more = await account.request('PATCH', `${KEYS}/${keyId}`, { json: { name: 'x', scopes: ['manage'] } });
    expect(faultsOf(expectProblem(more, 400, 'unknown_field'))).toEqual([{ field: 'scopes', code: 'unknown_field' }]);
    expect(await stored(keyId)).toMatchObject({ name: 'store', scopes: ['send'] });
  });

  test('revokes a key, which is refused from then on like one that never was, and revoking again changes nothing', async () => {
    await fresh();
    const made = await create(account, { name: 'shop', scopes: ['read'] });
    const shop = account.by(made);
    expect((await shop.get('/v1/account')).status).toBe(200);
    const revoked = await account.post(`${KEYS}/${made.keyId}/revoke`, {});
    expect(revoked.json).toMatchObject({ keyId: made.keyId, status: 'revoked' });
    // Not only once the notice has come round: the gateway that was told knows.
    expectProblem(await shop.get('/v1/account'), 401, 'unauthorized');
    const again = await account.request('POST', `${KEYS}/${made.keyId}/revoke`);
    expect({ status: again.status, body: again.json }).toEqual({ status: 200, body: revoked.json });
  });

  test('rotates the key that it uses without downtime, also at another gateway', async () => {
    const other = await TestGateway.start({ beside: gateway });
    try {
      await fresh();
      const reply = await account.request('POST', `${KEYS}/${account.keyId}/rotate`);
      expect(reply.status).toBe(201);
      const made = reply.as<NewKey>();
      const { replacedKey } = made;
      expect(replacedKey).toMatchObject({ keyId: account.keyId, status: 'active' });
      const endsInMs = Date.parse(replacedKey?.expiresAt ?? '') - Date.now();
      expect(endsInMs / 3_600_000).toBeCloseTo(24, 1);
      expect(made).toMatchObject({ scopes: ['send', 'read', 'manage'], expiresAt: null, status: 'active' });
      for (const key of [account, account.at(other), account.by(made), account.by(made).at(other)]) {
        expect((await key.get('/v1/account')).status).toBe(200);
      }
      await account.by(made).post(`${KEYS}/${account.keyId}/revoke`, {});
      await eventually(async () => (await account.at(other).get('/v1/account')).status === 401, { timeoutMs: 4_000 });
      expect((await account.by(made).get('/v1/account')).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  test('rotates with another overlap and another life, and an overlap never makes a key live longer', async () => {
    await fresh();
    const short = await create(account, { name: 'short', scopes: ['send'], expiresAt: SOON });
    const rotated = await account.post(`${KEYS}/${short.keyId}/rotate`, { overlapSeconds: 604_800, expiresAt: null });
    expect(rotated.json).toMatchObject({ name: 'short', expiresAt: null, replacedKey: { expiresAt: SOON } });
    const kept = await account.post(`${KEYS}/${short.keyId}/rotate`, { overlapSeconds: 0 });
    expect(kept.json).toMatchObject({ expiresAt: SOON, replacedKey: { status: 'expired' } });
    expectProblem(await account.by(short).send(GOOD), 401, 'key_expired');
    expectProblem(await account.post(`${KEYS}/${short.keyId}/rotate`, {}), 409, 'key_ended');
  });

  test.each([[null], [SOON]])(
    'rotates a key once more, whose new key nobody got, and the further one does not end with the overlap (%p)',
    async (expiresAt) => {
      await fresh();
      const shop = await create(account, { name: 'shop', scopes: ['send'], expiresAt });
      const rotate = () => account.post(`${KEYS}/${shop.keyId}/rotate`, { overlapSeconds: 60 });
      const [first, further] = [(await rotate()).as<NewKey>(), (await rotate()).as<NewKey>()];
      expect([first.expiresAt, further.expiresAt]).toEqual([expiresAt, expiresAt]);
      // The old one ends when it was to end first.
      expect(further.replacedKey).toEqual(first.replacedKey);
    },
  );

  test('does not rotate a key once more with itself into one that outlives it', async () => {
    await fresh();
    const rotate = (body: object) => account.post(`${KEYS}/${account.keyId}/rotate`, body);
    const { replacedKey } = (await rotate({})).as<NewKey>();
    expect(faultsOf(expectProblem(await rotate({}), 403, 'exceeds_own_key'))).toEqual([
      { field: 'expiresAt', code: 'exceeds_own_key' },
    ]);
    expect((await rotate({ expiresAt: replacedKey?.expiresAt })).status).toBe(201);
  });

  test('finds each change in the audit: by which key, from where', async () => {
    await fresh();
    const { keyId, apiKey } = await create(account, { name: 'shop', scopes: ['send'] });
    await account.request('PATCH', `${KEYS}/${keyId}`, { json: { name: 'store' } });
    await account.post(`${KEYS}/${keyId}/revoke`, {});
    const changes = await listOperatorChanges(gateway.database, { accountId: account.accountId }, 3);
    expect(changes.map(({ operator, actor, subjectId, action }) => ({ operator, actor, subjectId, action }))).toEqual(
      ['POST /v1/account/keys/:keyId/revoke', 'PATCH /v1/account/keys/:keyId', 'POST /v1/account/keys'].map(
        (command, place) => ({
          operator: `API key ${account.keyId}`,
          actor: expect.objectContaining({ apiClient: '127.0.0.1', command }),
          subjectId: keyId,
          action: place === 2 ? 'insert' : 'update',
        }),
      ),
    );
    expect(JSON.stringify(changes)).not.toContain(apiKey.slice(12));
    expect(changes[1]).toMatchObject({ before: { name: 'shop' }, after: { name: 'store' } });
  });
});

describe('a key cannot give more than it has', () => {
  test.each([
    [{ scopes: ['manage', 'read'] }, { scopes: ['send'] }, ['scopes']],
    [{ networks: ['127.0.0.0/8'] }, { networks: [] }, ['networks']],
    [{ networks: ['127.0.0.0/8'] }, { networks: ['127.1.0.0/16', '10.0.0.1'] }, ['networks']],
    [{ networks: ['127.0.0.0/8'] }, { networks: ['127.0.0.0/7'] }, ['networks']],
    [{ expiresAt: new Date(SOON) }, { expiresAt: null }, ['expiresAt']],
    [{ expiresAt: new Date(SOON) }, { expiresAt: '2127-01-01T00:00:00Z' }, ['expiresAt']],
    [
      { scopes: ['manage'], networks: ['127.0.0.0/8'], expiresAt: new Date(SOON) },
      { scopes: ['read'], networks: ['0.0.0.0/0'], expiresAt: null },
      ['scopes', 'networks', 'expiresAt'],
    ],
  ] as const)('one with %j does not make one with %j', async (own, wanted, fields) => {
    await fresh();
    const manager = await account.withKey(own);
    const before = await listApiKeys(gateway.database, account.accountId);
    const reply = await manager.post(KEYS, { name: 'more', scopes: ['manage'], ...wanted });
    expect(faultsOf(expectProblem(reply, 403, 'exceeds_own_key'))).toEqual(
      fields.map((field) => ({ field, code: 'exceeds_own_key' })),
    );
    expect(await listApiKeys(gateway.database, account.accountId)).toEqual(before);
  });

  test('what is not asked for is as far as its own goes', async () => {
    await fresh();
    const manager = await account.withKey({ networks: ['127.0.0.0/8'], expiresAt: new Date(SOON) });
    const made = await create(manager, { name: 'like me', scopes: ['read'] });
    expect(made).toMatchObject({ scopes: ['read'], networks: ['127.0.0.0/8'], expiresAt: SOON });
    const narrower = { networks: ['127.0.0.0/24'], expiresAt: new Date(Date.now() + 60_000).toISOString() };
    expect(await create(manager, { name: 'less', scopes: ['read'], ...narrower })).toMatchObject(narrower);
  });

  test('nor by rotating a key that has more', async () => {
    await fresh();
    const manager = await account.withKey({ scopes: ['manage'] });
    const reply = await manager.post(`${KEYS}/${account.keyId}/rotate`, {});
    expectProblem(reply, 403, 'exceeds_own_key');
    expect(await stored(account.keyId)).toMatchObject({ expiresAt: undefined });
    const own = await manager.post(`${KEYS}/${manager.keyId}/rotate`, {});
    expect(own.json).toMatchObject({ scopes: ['manage'] });
  });

  test('a key that is revoked meanwhile gives nothing, though the gateway still remembers it', async () => {
    await fresh();
    const manager = await account.withKey({});
    expect((await manager.get(KEYS)).status).toBe(200);
    await gateway.database.transaction(async (transaction) => {
      // Without the notice that a revocation sends.
      await transaction.query('update api_key set revoked_at = now() where key_id = $1', [manager.keyId]);
    });
    expectProblem(await manager.post(KEYS, { name: 'late', scopes: ['send'] }), 401, 'unauthorized');
    expect(await listApiKeys(gateway.database, account.accountId)).toHaveLength(2);
  });
});

describe('the last key that can manage keys', () => {
  const revoke = (by: TestAccount, keyId: string) => by.post(`${KEYS}/${keyId}/revoke`, {});

  test('is not revoked by itself, until there is another one that lives as long', async () => {
    await fresh();
    await create(account, { name: 'sender', scopes: ['send', 'read'] });
    expectProblem(await revoke(account, account.keyId), 409, 'last_manage_key');
    await account.withKey({ expiresAt: new Date(SOON) });
    expectProblem(await revoke(account, account.keyId), 409, 'last_manage_key');
    expect((await account.get(KEYS)).status).toBe(200);
    await account.withKey({ scopes: ['manage'] });
    expect((await revoke(account, account.keyId)).status).toBe(200);
    expectProblem(await account.get(KEYS), 401, 'unauthorized');
  });

  test('of two that revoke each other at the same moment one stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      await fresh();
      const other = await account.withKey({ scopes: ['manage'] });
      const replies = await Promise.all([revoke(account, other.keyId), revoke(other, account.keyId)]);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      const keys = await listApiKeys(gateway.database, account.accountId);
      expect(keys.filter(({ status }) => status === 'active')).toHaveLength(1);
    }
  });

  test('is revoked by the operator all the same', async () => {
    await fresh();
    expect(await revokeApiKey(gateway.database, account.keyId)).toMatchObject({ status: 'revoked' });
  });
});
