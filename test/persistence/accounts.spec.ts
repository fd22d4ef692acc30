import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  acceptMessages,
  addApiKey,
  ChangeListener,
  changeAccount,
  createAccount,
  Database,
  findAccount,
  importTariff,
  listApiKeys,
  recordKeyUses,
  resumeAccount,
  revokeApiKey,
  setCreditLimit,
  setDefaultTariff,
  suspendAccount,
} from '#persistence';
import { findKeyHolder } from '../../libs/persistence/accounts/api-keys.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { untilLockWaits } from '../support/lock-waits.js';
import { message, openAccount, UNIT_PRICE } from './ledger-traffic.js';

describe('accounts', () => {
  let server: TestDatabase;
  let database: Database;
  let accountId: string;
  const send = async () => {
    const each = message();
    const settings = { validitySeconds: 3_600, sweepAfterSeconds: 10 };
    const request = { messages: [each], total: each.price, inBacklog: false };
    return (await acceptMessages(database, [{ accountId, request }], settings))[0];
  };

  beforeAll(async () => {
    server = await createTestDatabase();
    database = await Database.open({ url: server.url, poolSize: 4, applicationName: 'spec' });
    accountId = await openAccount(database);
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  test('a new account has nothing, the default tariff of its currency, and a key that works', async () => {
    const { account, apiKey } = await createAccount(database, { name: ' Acme ', currency: 'EUR' });
    expect(account).toMatchObject({
      name: 'Acme',
      currency: 'EUR',
      tariff: 'plain',
      status: 'active',
      deposited: 0n,
      reserved: 0n,
      captured: 0n,
      creditLimit: 0n,
      messageCount: 0n,
      rateLimitPerSecond: undefined,
    });
    expect(await findKeyHolder(database, apiKey)).toMatchObject({ accountId: account.accountId, suspended: false });
  });

  test('a tariff of another currency is refused, and so is a currency that has none', async () => {
    await importTariff(database, { name: 'dollars', currency: 'USD', rates: [{ prefix: '1', price: 1n }] });
    await expect(createAccount(database, { name: 'A', currency: 'EUR', tariff: 'dollars' })).rejects.toThrow(
      'the tariff dollars is in USD, not in EUR',
    );
    await expect(createAccount(database, { name: 'A', currency: 'CHF' })).rejects.toThrow('there is no tariff in CHF');
  });

  test('the tariff that was made the default is what new accounts get, and old ones keep theirs', async () => {
    await importTariff(database, { name: 'newer', currency: 'EUR', rates: [{ prefix: '49', price: 1n }] });
    expect((await createAccount(database, { name: 'B', currency: 'EUR' })).account.tariff).toBe('plain');
    await setDefaultTariff(database, 'newer');
    expect((await createAccount(database, { name: 'C', currency: 'EUR' })).account.tariff).toBe('newer');
    expect((await findAccount(database, accountId)).tariff).toBe('plain');
  });

  test.each([
    ['no name', { name: '  ', currency: 'EUR' }, 'the name of an account has'],
    ['a name that steers the terminal', { name: 'a\u001b[2J', currency: 'EUR' }, 'the name of an account has'],
    ['half of an emoji', { name: 'a\ud83d', currency: 'EUR' }, 'the name of an account has'],
    ['a name of 101 emoji', { name: '😀'.repeat(101), currency: 'EUR' }, 'the name of an account has'],
    ['a credit limit below 0', { name: 'A', currency: 'EUR', creditLimit: -1n }, 'a credit limit is 0 or above'],
    ['a rate limit of 0', { name: 'A', currency: 'EUR', rateLimitPerSecond: 0 }, 'a rate limit is 1 to'],
    ['a currency in words', { name: 'A', currency: 'Euro' }, '"Euro" is not a currency code'],
  ])('%s is refused', async (_what, wanted, reason) => {
    await expect(createAccount(database, wanted)).rejects.toThrow(reason);
  });

  test('a name has up to 100 characters, of which an emoji is one', async () => {
    const name = '😀'.repeat(100);
    expect((await createAccount(database, { name, currency: 'EUR' })).account.name).toBe(name);
  });

  test('a suspended account is refused without a charge, and sends again when it is resumed', async () => {
    await suspendAccount(database, accountId);
    const before = await findAccount(database, accountId);
    expect(await send()).toEqual({ kind: 'suspended' });
    expect(await findAccount(database, accountId)).toEqual(before);
    await resumeAccount(database, accountId);
    expect(await send()).toEqual({ kind: 'accepted' });
  });

  test('a credit limit lets an empty account send, as far as it goes', async () => {
    const { account } = await createAccount(database, { name: 'Creditor', currency: 'EUR' });
    const empty = { ...account, creditLimit: UNIT_PRICE };
    expect(await setCreditLimit(database, account.accountId, UNIT_PRICE)).toEqual(empty);
    const each = message();
    const settings = { validitySeconds: 3_600, sweepAfterSeconds: 10 };
    const once = () =>
      acceptMessages(
        database,
        [
          {
            accountId: account.accountId,
            request: { messages: [{ ...each, id: message().id }], total: each.price, inBacklog: false },
          },
        ],
        settings,
      );
    expect(await once()).toEqual([{ kind: 'accepted' }]);
    expect(await once()).toEqual([{ kind: 'insufficient_balance', balance: -UNIT_PRICE }]);
  });

  test('a rate limit holds until it is lifted', async () => {
    await changeAccount(database, accountId, { rateLimitPerSecond: 1 });
    expect([(await send())?.kind, (await send())?.kind]).toEqual(['accepted', 'rate_limited']);
    expect((await changeAccount(database, accountId, { rateLimitPerSecond: null })).rateLimitPerSecond).toBeUndefined();
    expect((await send())?.kind).toBe('accepted');
  });

  test('a revoked key speaks for nobody, the others go on working, and revoking again changes nothing', async () => {
    const { account, keyId, apiKey } = await createAccount(database, { name: 'Keys', currency: 'EUR' });
    const second = await addApiKey(database, account.accountId);
    const { revokedAt } = await revokeApiKey(database, keyId);
    expect((await revokeApiKey(database, keyId)).revokedAt).toEqual(revokedAt);
    expect(await findKeyHolder(database, apiKey)).toBeUndefined();
    expect(await findKeyHolder(database, second.apiKey)).toMatchObject({ accountId: account.accountId });
    const keys = await listApiKeys(database, account.accountId);
    expect(Object.fromEntries(keys.map((key) => [key.keyId, key.revokedAt !== undefined]))).toEqual({
      [keyId]: true,
      [second.keyId]: false,
    });
  });

  test.each(['0', 'x', '', '99999999999999999999'])('there is no account "%s" to change', async (id) => {
    for (const change of [
      suspendAccount(database, id),
      setCreditLimit(database, id, 1n),
      changeAccount(database, id, { rateLimitPerSecond: 1 }),
      addApiKey(database, id),
      listApiKeys(database, id),
    ]) {
      await expect(change).rejects.toThrow(`there is no account ${id}`);
    }
    await expect(revokeApiKey(database, id)).rejects.toThrow(`there is no key ${id}`);
  });

  test('the last use of a key is stored beside others who wait for the key that has just been changed', async () => {
    const { keyId } = await addApiKey(database, accountId);
    const clients = [1, 2, 3, 4].map(() => new pg.Client(server.url));
    for (const client of clients) await client.connect();
    const [signingIn, changing, ...later] = clients as [pg.Client, pg.Client, ...pg.Client[]];
    // As whoever makes a token of the console: while this lasts, the older version of the row does not count as over.
    await signingIn.query('begin');
    await signingIn.query('select from api_key where key_id = $1 for key share', [keyId]);
    await changing.query('begin');
    await changing.query("update api_key set name = 'shop' where key_id = $1", [keyId]);
    const stored = recordKeyUses(database, [{ keyId, agoMs: 0 }]);
    await untilLockWaits(database, 1);
    const others = later.map((client) =>
      client.query('select from api_key where key_id = $1 for no key update', [keyId]),
    );
    await untilLockWaits(database, 3);
    await changing.query('commit');
    const ends = await Promise.allSettled([stored, ...others]);
    for (const client of clients) await client.end();
    expect(ends).toMatchObject(Array(3).fill({ status: 'fulfilled' }));
    expect((await listApiKeys(database, accountId)).find((key) => key.keyId === keyId)?.lastUsedAt).toBeDefined();
  });

  test('running processes hear of a suspension at once', async () => {
    const heard: string[] = [];
    const listener = new ChangeListener(server.url, (thing) => heard.push(thing));
    listener.start();
    try {
      // "unknown" says that the listener is connected.
      await eventually(() => heard.includes('unknown'));
      await suspendAccount(database, accountId);
      await eventually(() => heard.includes('accounts'));
    } finally {
      await listener.close();
    }
  });
});
