import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { findPrice } from '#billing';
import {
  cancelRates,
  Database,
  findTariff,
  heldRates,
  importTariff,
  listRates,
  listTariffs,
  previewTariff,
} from '#persistence';
import { SendRules } from '../../apps/gateway/messages/send-rules.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { untilLockWaits } from '../support/lock-waits.js';
import { turns } from '../support/turns.js';

const [OLD, NEW] = [75_000n, 80_000n];
const DAY_MS = 86_400_000;
/** The two databases of two gateways see one clock; a busy machine delays their questions. */
const SLACK_MS = 2_000;

let server: TestDatabase;
let database: Database;
let other: Database;
beforeAll(async () => {
  server = await createTestDatabase();
  [database, other] = (await Promise.all(
    ['one', 'two'].map((applicationName) => Database.open({ url: server.url, poolSize: 2, applicationName })),
  )) as [Database, Database];
});
afterAll(async () => {
  await Promise.all([database.close(), other.close()]);
  await server.drop();
});

const listed = (price: bigint, prefix = '49') => ({ currency: 'EUR', rates: [{ prefix, price }] });
async function databaseNow(): Promise<number> {
  const [row] = await database.query<{ at: Date }>('select clock_timestamp() as at');
  return row?.at.getTime() ?? 0;
}

describe('prices that begin at a time', () => {
  test('begin then on every gateway, and nobody waits for the database', async () => {
    const { tariffId } = await importTariff(database, { name: 'planned', ...listed(OLD) });
    const beginsMs = (await databaseNow()) + 6_000;
    await importTariff(database, { name: 'planned', ...listed(NEW), validFrom: new Date(beginsMs) });
    const books = [new SendRules(database), new SendRules(other)];
    const seen = books.map(
      () => [] as { readonly price: bigint | undefined; readonly from: number; readonly to: number }[],
    );
    await eventually(
      async () => {
        for (const [n, book] of books.entries()) {
          const from = await databaseNow();
          const price = findPrice(await book.tariff(tariffId), '491700000001');
          seen[n]?.push({ price, from, to: await databaseNow() });
        }
        expect(await databaseNow()).toBeGreaterThan(beginsMs + SLACK_MS);
      },
      { timeoutMs: 60_000 },
    );
    for (const prices of seen) {
      expect(prices.filter(({ price, to }) => price !== OLD && to < beginsMs - SLACK_MS)).toEqual([]);
      expect(prices.filter(({ price, from }) => price !== NEW && from > beginsMs + SLACK_MS)).toEqual([]);
      expect(new Set(prices.map(({ price }) => price))).toEqual(new Set([OLD, NEW]));
    }
  }, 90_000);

  test.each([0, 4_000])('begin neither early nor late because the question waits for %i ms', async (waitsMs) => {
    let nowMs = 0;
    const changeMs = 5_000;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const query = async (_: string, [, at]: readonly unknown[]) => {
      if (nowMs === 0) nowMs += waitsMs;
      const isNew = at !== null || nowMs >= changeMs;
      const change = isNew
        ? { change_at: null, change_in_ms: null }
        : { change_at: 'then', change_in_ms: changeMs - nowMs };
      return [{ prefixes: ['49'], prices: [isNew ? NEW : OLD], ...change }];
    };
    const book = new SendRules({ query } as unknown as Database);
    const priceAt = async (atMs: number) => {
      nowMs = Math.max(nowMs, atMs);
      return findPrice(await book.tariff('1'), '491700000001');
    };
    const prices = [];
    for (const atMs of [0, 4_100, 4_999, 5_000]) prices.push(await priceAt(atMs));
    clock.mockRestore();
    expect(prices).toEqual([OLD, OLD, OLD, NEW]);
  });

  test('are read again if the first read of them failed after they had begun', async () => {
    let nowMs = 0;
    let failRead: () => void = () => undefined;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const query = (_: string, [, at]: readonly unknown[]) => {
      const change = nowMs === 0 ? { change_at: 'then', change_in_ms: 5_000 } : { change_at: null, change_in_ms: null };
      const failed = new Promise<never>((_, reject) => {
        failRead = () => reject(new Error('away'));
      });
      return at === null
        ? Promise.resolve([{ prefixes: ['49'], prices: [nowMs === 0 ? OLD : NEW], ...change }])
        : failed;
    };
    const book = new SendRules({ query } as unknown as Database);
    await book.tariff('1');
    await turns();
    nowMs = 5_000;
    const waiting = book.tariff('1');
    failRead();
    await expect(waiting).rejects.toThrow('away');
    expect(findPrice(await book.tariff('1'), '491700000001')).toBe(NEW);
    clock.mockRestore();
  });

  test('are exact to the microsecond of the database', async () => {
    const { tariffId } = await importTariff(database, { name: 'midnight', ...listed(OLD) });
    const midnight = new Date(Math.ceil((Date.now() + DAY_MS) / DAY_MS) * DAY_MS);
    await importTariff(database, { name: 'midnight', ...listed(NEW), validFrom: midnight });
    const at = async (time: string) => (await heldRates(database, tariffId, time)).rates.map(({ price }) => price);
    const before = midnight.toISOString().replace(/T.*/, ' 00:00:00Z');
    const [row] = await database.query<{ last: string }>(
      "select ($1::timestamptz - interval '1 microsecond')::text as last",
      [before],
    );
    expect(await at(row?.last ?? '')).toEqual([OLD]);
    expect(await at(before)).toEqual([NEW]);
    const { change } = await heldRates(database, tariffId);
    expect(new Date(change?.at.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00') ?? 0)).toEqual(midnight);
  });

  test('are shown before, compared with what holds then, changed and taken back', async () => {
    const [soon, later] = [new Date(Date.now() + DAY_MS), new Date(Date.now() + 2 * DAY_MS)];
    const { tariffId } = await importTariff(database, { name: 'edited', ...listed(OLD) });
    await importTariff(database, { name: 'edited', ...listed(NEW), validFrom: soon });
    expect(await previewTariff(database, { name: 'edited', ...listed(NEW), validFrom: later })).toMatchObject({
      changed: [],
      unchanged: 1,
    });
    expect(await previewTariff(database, { name: 'edited', ...listed(NEW) })).toMatchObject({
      changed: [{ oldPrice: OLD }],
    });
    expect(await findTariff(database, 'edited')).toMatchObject({ rateCount: 1, changesAt: soon });
    expect(await listRates(database, tariffId, soon)).toEqual([{ prefix: '49', price: NEW }]);
    await importTariff(database, { name: 'edited', ...listed(99n), validFrom: soon });
    expect(await listRates(database, tariffId, later)).toEqual([{ prefix: '49', price: 99n }]);
    expect((await cancelRates(database, 'edited', soon)).changesAt).toBeUndefined();
    expect(await listRates(database, tariffId, later)).toEqual([{ prefix: '49', price: OLD }]);
    await expect(cancelRates(database, 'edited', soon)).rejects.toThrow('nothing is planned');
    await expect(
      importTariff(database, { name: 'edited', ...listed(NEW), validFrom: new Date(Date.now() - DAY_MS) }),
    ).rejects.toThrow('for a time in the future');
  });

  test('are taken back also while others change them', async () => {
    const soon = new Date(Date.now() + DAY_MS);
    const { tariffId } = await importTariff(database, { name: 'shared', ...listed(OLD) });
    await importTariff(database, { name: 'shared', ...listed(NEW), validFrom: soon });
    const canceled = await other.transaction(async (transaction) => {
      await transaction.query("select pg_advisory_xact_lock(hashtext('heliograph.tariffs'))");
      await transaction.query('delete from tariff_rate where tariff_id = $1 and valid_from = $2', [tariffId, soon]);
      await transaction.query(
        'insert into tariff_rate (tariff_id, valid_from, prefix, price) values ($1, $2, $3, $4)',
        [tariffId, soon, '49', 99n],
      );
      const asked = cancelRates(database, 'shared', soon);
      await untilLockWaits(other, 1);
      return [asked];
    });
    expect((await canceled[0])?.changesAt).toBeUndefined();
    expect(await listRates(database, tariffId, soon)).toEqual([{ prefix: '49', price: OLD }]);
  });
});

describe('a price list that is based on another one', () => {
  test('has its own prices, and those of the other one for other numbers, as they change', async () => {
    const rates = [
      { prefix: '46', price: 10n },
      { prefix: '49', price: 20n },
    ];
    await importTariff(database, { name: 'base', currency: 'EUR', rates });
    const wanted = { name: 'special', ...listed(15n), basedOn: 'base' };
    const { tariffId, basedOn } = await importTariff(database, wanted);
    expect(basedOn).toBe('base');
    const prices = async () =>
      (await heldRates(database, tariffId)).rates.map(({ prefix, price }) => `${prefix} ${price}`);
    expect((await prices()).sort()).toEqual(['46 10', '49 15']);
    await importTariff(database, { name: 'base', currency: 'EUR', rates: rates.map((one) => ({ ...one, price: 1n })) });
    expect((await prices()).sort()).toEqual(['46 1', '49 15']);
    const soon = new Date(Date.now() + DAY_MS);
    await importTariff(database, { name: 'base', currency: 'EUR', rates, validFrom: soon });
    expect((await heldRates(database, tariffId)).change?.inMs).toBeGreaterThan(0);
    expect((await listTariffs(database)).find(({ name }) => name === 'special')).toMatchObject({ rateCount: 1 });
  });

  test('gets another base at once only, so a plan for later cannot change it', async () => {
    const wanted = { name: 'moved', ...listed(7n) };
    const soon = new Date(Date.now() + DAY_MS);
    await importTariff(database, { ...wanted, name: 'later', basedOn: 'base', validFrom: soon });
    const { tariffId } = await importTariff(database, wanted);
    for (const change of [importTariff, previewTariff]) {
      await expect(change(database, { ...wanted, basedOn: 'base', validFrom: soon })).rejects.toThrow('at once');
    }
    expect(await listRates(database, tariffId)).toEqual([{ prefix: '49', price: 7n }]);
    await importTariff(database, { ...wanted, basedOn: 'base' });
    const planned = await importTariff(database, { ...wanted, basedOn: 'base', validFrom: soon });
    expect(planned).toMatchObject({ basedOn: 'base', changesAt: soon });
  });

  test('is based on one of its currency that is based on none', async () => {
    await importTariff(database, { name: 'pounds', currency: 'GBP', rates: [{ prefix: '44', price: 1n }] });
    const based = (name: string, on: string) => importTariff(database, { name, ...listed(1n), basedOn: on });
    await expect(based('other', 'pounds')).rejects.toThrow('is in GBP, not in EUR');
    await expect(based('third', 'special')).rejects.toThrow('based on another one');
    await expect(based('base', 'planned')).rejects.toThrow('based on another one');
    await expect(based('planned', 'planned')).rejects.toThrow('cannot be based on itself');
    await expect(based('planned', 'nothing')).rejects.toThrow('there is no tariff nothing');
  });
});
