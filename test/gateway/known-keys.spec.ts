import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { Database, revokeApiKey } from '#persistence';
import { ApiKeys } from '../../apps/gateway/http/api-keys.js';
import { eventually } from '../support/eventually.js';
import { type TestAccount, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let database: Database;
let accounts: TestAccount[];
/** How many keys each query looked up, when it was answered. */
const answered: number[] = [];
let isAway = false;
let nowMs: number;
beforeAll(async () => {
  gateway = await TestGateway.start();
  accounts = await Promise.all(Array.from({ length: 50 }, () => gateway.account()));
  database = await Database.open({ url: gateway.databaseUrl, poolSize: 2, applicationName: 'spec' });
  const query = database.query.bind(database);
  database.query = async <Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> => {
    const rows = isAway ? Promise.reject(new Error('away')) : query<Row>(sql, parameters);
    return rows.finally(() => answered.push((parameters[0] as string[]).length));
  };
});
beforeEach(() => {
  // The clock stands still, so that a slow machine changes nothing.
  nowMs = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  answered.length = 0;
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => {
  await database.close();
  await gateway.close();
});

const allLookedUp = () => answered.reduce((sum, keys) => sum + keys, 0) === accounts.length;

test('keys in use are looked up together before their time is over, and no request waits for that', async () => {
  const keys = new ApiKeys(database);
  const ask = () => accounts.map(({ apiKey }) => keys.holderOf(apiKey));
  const known = await Promise.all(ask());
  answered.length = 0;
  nowMs += 2_900;
  expect(ask()).toEqual(known);
  nowMs += 200;
  // Each of them once, however often it is used.
  for (let n = 0; n < 10; n += 1) expect(ask()).toEqual(known);
  await eventually(allLookedUp);
  expect(answered.length).toBeLessThanOrEqual(2);
  // 7.9 s after the first look-up, 4.8 s after the second one.
  nowMs += 4_800;
  expect(ask()).toEqual(known);
  expect(answered.length).toBeLessThanOrEqual(2);
});

test('a key that was revoked without a notice is refused as soon as that look-up says so', async () => {
  const keys = new ApiKeys(database);
  const doomed = await accounts[0]?.withKey({});
  if (doomed === undefined) throw new Error('there is no account');
  expect(await keys.holderOf(doomed.apiKey)).toBeDefined();
  await revokeApiKey(database, doomed.keyId);
  nowMs += 3_500;
  expect(keys.holderOf(doomed.apiKey)).toMatchObject({ keyId: doomed.keyId });
  await eventually(() => keys.holderOf(doomed.apiKey) === undefined);
});

test('a look-up that fails changes nothing: the key counts for its five seconds, and is asked for again then', async () => {
  const keys = new ApiKeys(database);
  const { apiKey = '' } = accounts[1] ?? {};
  const known = await keys.holderOf(apiKey);
  isAway = true;
  nowMs += 3_500;
  expect(keys.holderOf(apiKey)).toEqual(known);
  await eventually(() => answered.length === 2);
  nowMs += 1_400;
  expect(keys.holderOf(apiKey)).toEqual(known);
  nowMs += 200;
  await expect(keys.holderOf(apiKey)).rejects.toThrow('away');
  isAway = false;
  expect(await keys.holderOf(apiKey)).toEqual(known);
});
