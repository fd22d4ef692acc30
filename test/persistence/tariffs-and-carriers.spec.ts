import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  addCarrier,
  type CarrierSettings,
  Database,
  findTariff,
  importTariff,
  listCarriers,
  listRates,
  openCarrier,
  previewTariff,
  removeCarrier,
  setCarrierPaused,
  setDefaultTariff,
} from '#persistence';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { TEST_SECRET_KEYS } from '../support/secrets.js';

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await createTestDatabase();
  database = await Database.open({
    url: server.url,
    poolSize: 4,
    applicationName: 'spec',
    secretKeys: TEST_SECRET_KEYS,
  });
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

describe('tariffs', () => {
  const rates = [
    { prefix: '49', price: 75_000n },
    { prefix: '4915', price: 70_000n },
  ];

  test('the first in a currency is its default, the next is not', async () => {
    expect(await importTariff(database, { name: 'first', currency: 'EUR', rates })).toMatchObject({
      isDefault: true,
      rateCount: 2,
    });
    expect((await importTariff(database, { name: 'second', currency: 'EUR', rates })).isDefault).toBe(false);
  });

  test('importing again replaces all rates, and keeps its place as the default', async () => {
    const before = await findTariff(database, 'first');
    await importTariff(database, { name: 'first', currency: 'EUR', rates: [{ prefix: '44', price: 1n }] });
    expect(await findTariff(database, 'first')).toEqual({ ...before, rateCount: 1 });
    expect(await listRates(database, before.tariffId)).toEqual([{ prefix: '44', price: 1n }]);
  });

  test('imports of one tariff at the same time leave the rates of one of them', async () => {
    const versions = [1n, 2n, 3n, 4n].map((price) => ['1', '44', '49'].map((prefix) => ({ prefix, price })));
    await Promise.all(versions.map((each) => importTariff(database, { name: 'raced', currency: 'GBP', rates: each })));
    expect(versions).toContainEqual(await listRates(database, (await findTariff(database, 'raced')).tariffId));
  });

  test('no list is based on one that gets a base at the same time, whose prices it would not have', async () => {
    const plain = ['one', 'two', 'three'].map((name) => ({ name, currency: 'CHF', rates }));
    for (const wanted of plain) await importTariff(database, wanted);
    const based = plain
      .slice(0, 2)
      .map((wanted, n) => importTariff(database, { ...wanted, basedOn: plain[n + 1]?.name }));
    const done = (await Promise.allSettled(based)).filter(({ status }) => status === 'fulfilled');
    expect(done).toHaveLength(1);
  });

  test('two operators who choose the default of a currency at the same time are both answered', async () => {
    const names = ['two', 'three', 'two', 'three'];
    const chosen = await Promise.all(names.map((name) => setDefaultTariff(database, name)));
    expect(chosen.map(({ name, isDefault }) => [name, isDefault])).toEqual(names.map((name) => [name, true]));
  });

  test('an import that is refused changes nothing', async () => {
    const { tariffId } = await findTariff(database, 'first');
    const wrong: [Parameters<typeof importTariff>[1], string][] = [
      [{ name: 'first', currency: 'USD', rates }, 'the tariff first is in EUR, not in USD'],
      [{ name: 'first', currency: 'EUR', rates: [{ prefix: '0', price: 1n }] }, 'the prefix "0"'],
      [{ name: 'a b', currency: 'EUR', rates }, 'the name of a tariff has'],
      [{ name: 'c', currency: 'eur', rates }, '"eur" is not a currency code'],
      [{ name: 'c', currency: 'EUR', rates, basedOn: 'none' }, 'there is no tariff none'],
      [{ name: 'c', currency: 'EUR', rates, basedOn: 'raced' }, 'the tariff raced is in GBP, not in EUR'],
      [{ name: 'first', currency: 'EUR', rates, basedOn: 'first' }, 'cannot be based on itself'],
    ];
    for (const [wanted, reason] of wrong) await expect(importTariff(database, wanted)).rejects.toThrow(reason);
    for (const [wanted, reason] of wrong) await expect(previewTariff(database, wanted)).rejects.toThrow(reason);
    expect(await listRates(database, tariffId)).toEqual([{ prefix: '44', price: 1n }]);
    await expect(findTariff(database, 'c')).rejects.toThrow('there is no tariff c');
  });
});

describe('carriers', () => {
  const settings: CarrierSettings = {
    name: 'acme',
    protocol: 'smpp',
    host: 'smpp.example',
    port: 2775,
    systemId: 'user',
    password: 'secret',
    tls: true,
    windowSize: 20,
    submitsPerSecond: 100,
    messageIdFormat: 'hex-dec',
    defaultAlphabet: 'latin1',
    inDoubtPolicy: 'hold',
    bindCount: 2,
    options: { systemType: 'VMA' },
  };

  test('a carrier is stored as it was given', async () => {
    const added = await addCarrier(database, settings);
    expect(openCarrier(database.secretKeys, added)).toMatchObject({ ...settings, paused: false });
    expect(await listCarriers(database)).toEqual([added]);
    await expect(addCarrier(database, settings)).rejects.toThrow('there is a carrier acme already');
  });

  test('a paused carrier is listed as such until it is resumed', async () => {
    expect((await setCarrierPaused(database, 'acme', true)).paused).toBe(true);
    expect(await listCarriers(database)).toMatchObject([{ name: 'acme', paused: true }]);
    await setCarrierPaused(database, 'acme', false);
    expect(await listCarriers(database)).toMatchObject([{ name: 'acme', paused: false }]);
  });

  test('a removed carrier keeps its record, and its name can be used again', async () => {
    const { carrierId } = await removeCarrier(database, 'acme');
    expect(await listCarriers(database)).toEqual([]);
    await expect(removeCarrier(database, 'acme')).rejects.toThrow('there is no carrier acme');
    const again = await addCarrier(database, { ...settings, port: 2776 });
    expect(again.carrierId).not.toBe(carrierId);
    const rows = await database.query('select carrier_id from carrier where name = $1', ['acme']);
    expect(rows).toHaveLength(2);
  });

  test.each([
    ['name', { name: 'Acme' }, 'the name of a carrier has'],
    ['port', { port: 0 }, 'a port is 1 to 65535'],
    ['window', { windowSize: 1_001 }, 'the window of a carrier is 1 to 1000'],
    ['speed', { submitsPerSecond: 0 }, 'the speed of a carrier is'],
    ['number of binds', { bindCount: 101 }, 'the binds of a carrier are 1 to 100'],
    ['user', { systemId: 'x'.repeat(16) }, 'the user of a carrier has 1 to 15 characters'],
  ])('a %s out of its range is refused', async (_what, wrong, reason) => {
    await expect(addCarrier(database, { ...settings, ...wrong })).rejects.toThrow(reason);
  });
});
