import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { carrierSet } from '#operations';
import { addCarrier, type Database, findCarrier, openCarrier, rotateSecrets } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { untilLockWaits } from '../support/lock-waits.js';
import { anotherSecretsKey, keysFrom, openTestDatabase, TEST_SECRETS_KEY } from '../support/secrets.js';
import { smppCarrier } from '../support/smpp-carrier.js';
import { TEST_CERTIFICATE_PEM, TEST_KEY_PEM } from '../support/tls-identity.js';

const newKey = anotherSecretsKey();

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await createTestDatabase();
  database = await openTestDatabase(server.url, 4, { secretKeys: keysFrom(`${newKey}\n${TEST_SECRETS_KEY}`) });
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

test('of two operators who change options of a carrier at once, none undoes what the other one does', async () => {
  await addCarrier(database, smppCarrier({ options: { systemType: 'old', serviceType: 'old' } }));
  await inOrder(
    'acme',
    () => carrierSet(database, { name: 'acme', options: { systemType: 'new' } }),
    () => carrierSet(database, { name: 'acme', options: { serviceType: null } }),
    () => carrierSet(database, { name: 'acme', tps: 50 }),
  );
  const { options, submitsPerSecond } = await findCarrier(database, 'acme');
  expect({ options, submitsPerSecond }).toEqual({ options: { systemType: 'new' }, submitsPerSecond: 50 });
});

test('a change of a carrier while the keys are exchanged leaves its TLS key as it is', async () => {
  const before = await openTestDatabase(server.url, 1);
  const options = { tlsCertificatePem: TEST_CERTIFICATE_PEM, tlsKeyPem: TEST_KEY_PEM };
  await addCarrier(before, smppCarrier({ name: 'sealed', tls: true, options }));
  await before.close();
  await inOrder(
    'sealed',
    () => rotateSecrets(database, 'all'),
    () => carrierSet(database, { name: 'sealed', tps: 50 }),
  );
  expect(openCarrier(keysFrom(newKey), await findCarrier(database, 'sealed'))).toMatchObject({
    submitsPerSecond: 50,
    options,
  });
});

/** Each has looked at the carrier when the first one changes it; they lock it in this order. */
async function inOrder(name: string, ...changes: readonly (() => Promise<unknown>)[]): Promise<void> {
  const asker = await openTestDatabase(server.url, 1);
  const running: Promise<unknown>[] = [];
  await database.transaction(async (transaction) => {
    await transaction.query('select from carrier where name = $1 for update', [name]);
    for (const change of changes) {
      running.push(change());
      await untilLockWaits(asker, running.length);
    }
  });
  await Promise.all(running);
  await asker.close();
}
