import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  addCarrier,
  addRoute,
  type CarrierSettings,
  changeRoute,
  Database,
  findTariff,
  importTariff,
  listCarriers,
  listRates,
  listRoutes,
  openCarrier,
  previewTariff,
  removeCarrier,
  replaceRoutes,
  setCarrierPaused,
  setDefaultTariff,
} from '#persistence';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { untilLockWaits } from '../support/lock-waits.js';
import { TEST_SECRET_KEYS } from '../support/secrets.js';

const CARRIER: CarrierSettings = {
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
  test('a carrier is stored as it was given', async () => {
    const added = await addCarrier(database, CARRIER);
    expect(openCarrier(database.secretKeys, added)).toMatchObject({ ...CARRIER, paused: false });
    expect(await listCarriers(database)).toEqual([added]);
    await expect(addCarrier(database, CARRIER)).rejects.toThrow('there is a carrier acme already');
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
    const again = await addCarrier(database, { ...CARRIER, port: 2776 });
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
    await expect(addCarrier(database, { ...CARRIER, ...wrong })).rejects.toThrow(reason);
  });
});

describe('routes that several operators change at the same time', () => {
  const route = (prefix: string, carrier: string) => ({ prefix, carrier, rank: 1, weight: 1, cost: undefined });
  const routes = async () =>
    (await listRoutes(database)).map(({ prefix, carrier, rank, weight }) => [prefix, carrier, rank, weight]);
  /** Another transaction, in the middle of its work. */
  let other: pg.Client;
  beforeAll(async () => {
    for (const name of ['first', 'second']) await addCarrier(database, { ...CARRIER, name });
  });
  beforeEach(async () => {
    other = new pg.Client(server.url);
    await other.connect();
    await addRoute(database, route('', 'first'), false);
    await other.query('begin');
  });
  afterEach(async () => {
    await other.end();
    await replaceRoutes(database, [], { isPreview: false });
  });

  test('keep the changes of both', async () => {
    await other.query('select from route for update');
    const changed = [{ rank: 2 }, { weight: 20 }].map((change) => changeRoute(database, '', 'first', change));
    await untilLockWaits(database, 2);
    await other.query('rollback');
    await Promise.all(changed);
    expect(await routes()).toEqual([['', 'first', 2, 20]]);
  });

  test('never leave other numbers without a route unasked', async () => {
    await other.query("delete from route where prefix = ''");
    const added = addRoute(database, route('46', 'first'), false);
    const refused = expect(added).rejects.toThrow("add a route for '*' first");
    await untilLockWaits(database, 1);
    await other.query('commit');
    await refused;
    expect(await routes()).toEqual([]);
  });

  test('are replaced, and then lose the carrier that another one removes', async () => {
    await other.query("select from carrier where name = 'first' and removed_at is null for update");
    const wanted = ['first', 'second'].map((carrier) => route('', carrier));
    const replaced = replaceRoutes(database, wanted, { isPreview: false });
    await untilLockWaits(database, 1);
    const removed = removeCarrier(database, 'second', true);
    await untilLockWaits(database, 2);
    await other.query('rollback');
    await Promise.all([replaced, removed]);
    expect(await routes()).toEqual([['', 'first', 1, 1]]);
  });
});
