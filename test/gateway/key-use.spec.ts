import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Database, listApiKeys, revokeApiKey } from '#persistence';
import { createLogger } from '#telemetry';
import { RecordKeyUse } from '../../apps/gateway/http/record-key-use.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
});
afterAll(() => gateway.close());

const lastUse = async (keyId: string): Promise<number | undefined> =>
  (await listApiKeys(gateway.database, account.accountId)).find((key) => key.keyId === keyId)?.lastUsedAt?.getTime();

test('the last use of a key is known when its gateway ends, also of a refused request; an unused key has none', async () => {
  const other = await TestGateway.start({ beside: gateway });
  const sender = await account.withKey({ scopes: ['send'] });
  const unused = await account.withKey({});
  const doomed = await account.withKey({});
  const startedMs = Date.now();
  expect((await sender.at(other).get('/v1/account')).status).toBe(403);
  expect((await doomed.at(other).send({ recipient: RECIPIENT, message: 'hi' })).status).toBe(201);
  // A thief's use is known although the key was revoked before it was stored.
  await revokeApiKey(gateway.database, doomed.keyId);
  await other.close();
  for (const { keyId } of [sender, doomed]) {
    const usedMs = (await lastUse(keyId)) ?? 0;
    expect(usedMs).toBeGreaterThan(startedMs - 1_000);
    expect(usedMs).toBeLessThan(Date.now() + 1_000);
  }
  expect(await lastUse(unused.keyId)).toBeUndefined();
});

test('any number of uses is one transaction, a later use stays, and no use is lost when the database fails', async () => {
  const database = await Database.open({ url: gateway.databaseUrl, poolSize: 2, applicationName: 'spec' });
  const transaction = database.transaction.bind(database);
  let transactions = 0;
  let isAway = false;
  database.transaction = (work) => {
    transactions += 1;
    return isAway ? Promise.reject(new Error('away')) : transaction(work);
  };
  try {
    const record = new RecordKeyUse(database, createLogger('gateway', 'silent'));
    const used = [await account.anotherKey(), await account.anotherKey(), await account.anotherKey()];
    for (let n = 0; n < 1_000; n += 1) for (const { keyId } of used) record.note(keyId);
    await record.record();
    expect(transactions).toBe(1);
    const before = await Promise.all(used.map(({ keyId }) => lastUse(keyId)));
    expect(before).not.toContain(undefined);
    await record.record();
    expect(transactions).toBe(1);

    record.note(used[0]?.keyId ?? '');
    isAway = true;
    await expect(record.record()).rejects.toThrow('away');
    isAway = false;
    await record.record();
    const after = await Promise.all(used.map(({ keyId }) => lastUse(keyId)));
    expect(after[0]).toBeGreaterThan(before[0] ?? 0);
    expect(after.slice(1)).toEqual(before.slice(1));

    await gateway.database.query(`update api_key set last_used_at = now() + interval '1 hour' where key_id = $1`, [
      used[1]?.keyId,
    ]);
    const later = await lastUse(used[1]?.keyId ?? '');
    record.note(used[1]?.keyId ?? '');
    await record.record();
    expect(await lastUse(used[1]?.keyId ?? '')).toBe(later);
  } finally {
    await database.close();
  }
});
