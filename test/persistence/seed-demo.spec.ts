import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  addCarrier,
  Database,
  findAccount,
  importTariff,
  listAccounts,
  listApiKeys,
  listCarriers,
  listTariffs,
  removeCarrier,
  revokeApiKey,
  seedDemo,
} from '#persistence';
import { findKeyHolder } from '../../libs/persistence/accounts/api-keys.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { TEST_SECRET_KEYS } from '../support/secrets.js';
import { smppCarrier } from '../support/smpp-carrier.js';

const tariffsDir = fileURLToPath(new URL('../../../data/tariffs', import.meta.url));

describe('the first start', () => {
  let server: TestDatabase;
  let database: Database;
  const simulator = { host: '127.0.0.1', port: 2775 };

  beforeAll(async () => {
    server = await createTestDatabase();
    database = await Database.open({
      url: server.url,
      poolSize: 2,
      applicationName: 'spec',
      secretKeys: TEST_SECRET_KEYS,
    });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  test('leaves tariffs in EUR, USD and GBP, the simulator, and an account with 100 EUR and a key that works', async () => {
    const { accountId, apiKey } = await seedDemo(database, { tariffsDir, simulator });
    expect((await listTariffs(database)).map(({ currency, isDefault }) => [currency, isDefault])).toEqual([
      ['EUR', true],
      ['GBP', true],
      ['USD', true],
    ]);
    expect(await listCarriers(database)).toMatchObject([
      { name: 'simulator', ...simulator, windowSize: 100, simulator: true },
    ]);
    expect(await findAccount(database, accountId)).toMatchObject({
      name: 'Demo',
      currency: 'EUR',
      deposited: 100_000_000n,
    });
    expect(await findKeyHolder(database, apiKey)).toMatchObject({ accountId });
  });

  test('the next starts keep the account, its money, its key and what the operator changed', async () => {
    await importTariff(database, { name: 'default-eur', currency: 'EUR', rates: [{ prefix: '49', price: 1n }] });
    const [account] = await listAccounts(database);
    const kept = await seedDemo(database, { tariffsDir, simulator });
    const again = await seedDemo(database, { tariffsDir, simulator: { ...simulator, port: 2999 }, kept });
    expect(again).toEqual(kept);
    expect(await listAccounts(database)).toEqual([account]);
    expect((await listTariffs(database))[0]).toMatchObject({ name: 'default-eur', rateCount: 1 });
    expect(await listCarriers(database)).toMatchObject([{ name: 'simulator', port: 2999 }]);
  });

  test('a key that was revoked is replaced by a new one for the same account', async () => {
    const kept = await seedDemo(database, { tariffsDir, simulator });
    await revokeApiKey(database, kept.apiKey.slice(3, 11));
    const next = await seedDemo(database, { tariffsDir, simulator, kept });
    expect(next).toMatchObject({ accountId: kept.accountId, apiKey: expect.not.stringContaining(kept.apiKey) });
    expect(await findKeyHolder(database, next.apiKey)).toMatchObject({ accountId: kept.accountId });
    expect((await listApiKeys(database, kept.accountId)).length).toBeGreaterThan(1);
  });

  test('a real carrier that is named like the simulator keeps its address', async () => {
    await removeCarrier(database, 'simulator');
    await addCarrier(database, smppCarrier({ name: 'simulator', host: 'smsc.example' }));
    await seedDemo(database, { tariffsDir, simulator });
    expect(await listCarriers(database)).toMatchObject([{ host: 'smsc.example', simulator: false }]);
  });

  test('a simulator that the operator removed does not come back', async () => {
    await removeCarrier(database, 'simulator');
    await seedDemo(database, { tariffsDir, simulator });
    expect(await listCarriers(database)).toEqual([]);
  });
});
