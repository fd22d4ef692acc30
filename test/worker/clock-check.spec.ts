import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { loadConfig, processDetails } from '#config';
import { Database, KeepHeartbeat, seenProcesses } from '#persistence';
import { checkClock, watchClock } from '../../apps/worker/recovery/clock-check.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

let store: TestDatabase;
let database: Database;
beforeAll(async () => {
  store = await createTestDatabase();
  database = await Database.open({ url: store.url, poolSize: 2, applicationName: 'spec' });
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => {
  await database.close();
  await store.drop();
});

/** This machine's clock, so far from the right time. */
function setClock(offsetMs: number): void {
  jest.restoreAllMocks();
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + offsetMs);
}

test('a clock that is right, or nearly, may share its queue in PostgreSQL', async () => {
  await expect(checkClock(database)).resolves.toBeUndefined();
  setClock(-1_000);
  await expect(checkClock(database)).resolves.toBeUndefined();
});

test.each([5_000, -5_000])(
  'a clock that is %i ms off may not, and the operator is told by how much',
  async (offsetMs) => {
    setClock(offsetMs);
    await expect(checkClock(database)).rejects.toThrow(/clock is -?[45]\d\d\d ms off .* (NTP|REDIS_URL)/);
  },
);

test.each([
  ['question', -5_000, 0],
  ['answer', 0, 5_000],
])('a clock that is right is not called wrong because the %s takes five seconds', async (_, before, after) => {
  setClock(before);
  const query = async (sql: string) => {
    const rows = await database.query(sql);
    setClock(after);
    return rows;
  };
  await expect(checkClock({ query } as unknown as Database)).resolves.toBeUndefined();
});

test.each([
  [0, 0],
  [-60_000, -60_000],
])('a process whose clock is %i ms off says so, also when the database answers late', async (offsetMs, toldMs) => {
  const query = async (sql: string, values?: readonly unknown[]) => {
    const rows = await database.query(sql, values);
    setClock(offsetMs);
    return rows;
  };
  const heartbeat = new KeepHeartbeat(
    { query } as unknown as Database,
    async () => ({ processId: 'slow', role: 'worker', details: { ...processDetails(loadConfig({}), 'worker') } }),
    (error) => expect(error).toBeUndefined(),
  );
  const { beat } = heartbeat as unknown as { beat(): Promise<void> };
  for (const _ of ['first', 'second']) {
    setClock(offsetMs - 5_000);
    await beat.call(heartbeat);
  }
  await expect(seenProcesses(database)).resolves.toMatchObject([{ clockOffsetMs: expect.closeTo(toldMs, -2) }]);
  await heartbeat.stop();
});

test('a clock that drifts later is noticed; a database that is away is no drift', async () => {
  const drifts: string[] = [];
  const away = await Database.open({ url: store.url, poolSize: 1, applicationName: 'spec' });
  await away.close();
  const checks = [away, database].map((watched) => watchClock(watched, (error) => drifts.push(error.message), 5));
  try {
    await database.query('select pg_sleep(0.05)');
    expect(drifts).toEqual([]);
    setClock(5_000);
    // A check that had begun before sees the clock in between.
    await eventually(() => expect(drifts.at(-1)).toMatch(/clock is [45]\d\d\d ms off/));
  } finally {
    await Promise.all(checks.map((each) => each.stop()));
  }
});
