import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CARRIER_OPTIONS } from '#carrier';
import { makeSecretsKey } from '#config';
import {
  addCarrier,
  changeCarrier,
  Database,
  findCarrier,
  openCarrier,
  removeCarrier,
  rotateSecrets,
  type SecretKeys,
  secretsStatus,
} from '#persistence';
import { SECRET_OPTIONS } from '../../libs/persistence/carriers/carrier-secrets.js';
import { recordHeartbeat, removeHeartbeat } from '../../libs/persistence/database/heartbeat.js';
import { encryptClearSecrets } from '../../scripts/database/migrate-all.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { keysFrom } from '../support/secrets.js';
import { smppCarrier } from '../support/smpp-carrier.js';

const [oldKey, newKey] = [makeSecretsKey(), makeSecretsKey()];
const [oldKeys, newKeys, bothKeys] = [keysFrom(oldKey), keysFrom(newKey), keysFrom(`${newKey}\n${oldKey}`)];
const PASSWORD = 'pa55w0rd';
const PEM = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA\n-----END PRIVATE KEY-----\n';

let server: TestDatabase;
beforeAll(async () => {
  server = await createTestDatabase();
});
afterAll(() => server.drop());

describe('what a reader of the database sees', () => {
  test('neither a password nor a TLS key, in no row and no column', async () => {
    await withKeys(oldKeys, async (database) => {
      await addCarrier(database, smppCarrier({ name: 'sealed', password: PASSWORD, options: { tlsKeyPem: PEM } }));
      const [row] = await database.query<{ text: string }>(
        "select c::text as text from carrier c where name = 'sealed'",
      );
      expect(row?.text).not.toContain(PASSWORD);
      expect(row?.text).not.toContain('MC4CAQAwBQYDK2VwBCIEIA');
      expect(openCarrier(oldKeys, await findCarrier(database, 'sealed'))).toMatchObject({
        password: PASSWORD,
        options: { tlsKeyPem: PEM },
      });
    });
  });

  test('the same password twice looks different', async () => {
    await withKeys(oldKeys, async (database) => {
      const twins = [];
      for (const name of ['twin-a', 'twin-b']) twins.push(await addCarrier(database, smppCarrier({ name })));
      expect(twins[0]?.password.stored.slice(21)).not.toBe(twins[1]?.password.stored.slice(21));
    });
  });

  test('of a removed carrier no secret at all', async () => {
    await withKeys(oldKeys, async (database) => {
      await addCarrier(database, smppCarrier({ name: 'leaving', options: { tlsKeyPem: PEM, systemType: 'x' } }));
      await removeCarrier(database, 'leaving');
      const rows = await database.query("select password, options from carrier where name = 'leaving'");
      expect(rows).toEqual([{ password: '', options: { systemType: 'x' } }]);
    });
  });

  test('every option whose name says that it is a secret is encrypted', () => {
    const names = Object.values(CARRIER_OPTIONS).flatMap((options) => options.map(({ name }) => name));
    const secret = names.filter((name) => /key|secret|password|token/i.test(name));
    expect([...SECRET_OPTIONS].sort()).toEqual([...new Set(secret)].sort());
  });
});

describe('what somebody who writes to the database gains', () => {
  test("nothing from one carrier's password in another one's row", async () => {
    await withKeys(oldKeys, async (database) => {
      const { password } = await addCarrier(database, smppCarrier({ name: 'victim' }));
      await addCarrier(database, smppCarrier({ name: 'thief' }));
      await database.query("update carrier set password = $1 where name = 'thief'", [password.stored]);
      const thief = await findCarrier(database, 'thief');
      expect(() => openCarrier(oldKeys, thief)).toThrow(/its password does not decrypt with key [0-9a-f]{8}/);
      await database.query("delete from carrier where name = 'thief'");
    });
  });

  test.each([0, 1, 12, 20])('nothing from turning a bit of octet %i of a ciphertext', async (octet) => {
    const sealed = oldKeys.seal(PASSWORD, 'row');
    const [cipher, id, text = ''] = sealed.split(':');
    const octets = Buffer.from(text, 'base64url');
    octets.writeUInt8(octets.readUInt8(octet) ^ 1, octet);
    expect(() => oldKeys.open(`${cipher}:${id}:${octets.toString('base64url')}`, 'row')).toThrow(/does not decrypt/);
  });
});

describe('without the right key', () => {
  test('a password is not stored, and one line says how to make a key', async () => {
    await withKeys(undefined, async (database) => {
      await expect(addCarrier(database, smppCarrier({ name: 'refused' }))).rejects.toThrow(
        /no key to encrypt the carrier's password with: make one with `smsctl secrets key --out FILE`/,
      );
      await expect(findCarrier(database, 'refused')).rejects.toThrow('there is no carrier refused');
      await addCarrier(database, smppCarrier({ name: 'open', password: '' }));
    });
  });

  test('everything that needs no secret still works: pausing, listing, another speed', async () => {
    await withKeys(newKeys, async (database) => {
      await changeCarrier(database, 'sealed', { paused: true, submitsPerSecond: 5 });
      const changed = await findCarrier(database, 'sealed');
      expect(changed).toMatchObject({ paused: true, submitsPerSecond: 5 });
      expect(() => openCarrier(newKeys, changed)).toThrow(
        `its password is encrypted with key ${oldKeys.currentId}, which this process does not have: set SECRETS_KEY_FILE`,
      );
      expect(openCarrier(oldKeys, changed).password).toBe(PASSWORD);
    });
  });
});

describe('an exchange of keys', () => {
  test('changes nothing when one secret cannot be read', async () => {
    await withKeys(newKeys, async (database) => {
      const before = await database.query('select * from carrier order by carrier_id');
      await expect(rotateSecrets(database, 'all')).rejects.toThrow(
        /^nothing was changed: of carrier sealed, its password/,
      );
      expect(await database.query('select * from carrier order by carrier_id')).toEqual(before);
    });
  });

  test('leaves every secret readable with the new key alone, and says which were changed', async () => {
    await withKeys(bothKeys, async (database) => {
      const { reencrypted, encrypted, keyId } = await rotateSecrets(database, 'all');
      expect({ reencrypted, encrypted, keyId }).toEqual({
        reencrypted: ['sealed', 'twin-a', 'twin-b', 'victim'],
        encrypted: [],
        keyId: newKeys.currentId,
      });
      expect((await rotateSecrets(database, 'all')).unchanged).toEqual(['sealed', 'twin-a', 'twin-b', 'victim']);
    });
    await withKeys(newKeys, async (database) => {
      expect(openCarrier(newKeys, await findCarrier(database, 'sealed'))).toMatchObject({
        password: PASSWORD,
        options: { tlsKeyPem: PEM },
      });
      expect((await secretsStatus(database)).unreadable).toEqual([]);
    });
  });
});

test('a database of the version before is readable in clear, and encrypted by the first migration that has a key', async () => {
  const own = await createTestDatabase();
  const database = await Database.open({ url: own.url, poolSize: 1, applicationName: 'spec' });
  await database.query(
    `insert into carrier (name, host, port, system_id, password, options)
     values ('before', '127.0.0.1', 2775, 'acme', $1, jsonb_build_object('tlsKeyPem', $2::text))`,
    [PASSWORD, PEM],
  );
  const clear = await findCarrier(database, 'before');
  expect(openCarrier(database.secretKeys, clear).password).toBe(PASSWORD);
  expect((await secretsStatus(database)).stored).toEqual([{ keyId: null, carriers: ['before'] }]);
  expect(await encryptClearSecrets(own.url, database.secretKeys, 'nowhere')).toEqual([]);
  // A worker of the version before would take what is encrypted for the password itself.
  await recordHeartbeat(database, { processId: 'worker-1', role: 'worker', details: {} });
  expect(await encryptClearSecrets(own.url, oldKeys, '/data/secrets-key')).toEqual([
    expect.stringMatching(/^The secrets of carrier before stay in clear, because worker-1 is of an older version/),
  ]);
  expect(openCarrier(database.secretKeys, await findCarrier(database, 'before')).password).toBe(PASSWORD);
  await removeHeartbeat(database, 'worker-1');
  expect(await encryptClearSecrets(own.url, oldKeys, '/data/secrets-key')).toEqual([
    'The secrets of carrier before are now encrypted with the key in /data/secrets-key.',
  ]);
  expect(await encryptClearSecrets(own.url, oldKeys, '/data/secrets-key')).toEqual([]);
  const sealed = await findCarrier(database, 'before');
  expect(JSON.stringify(sealed)).not.toContain(PASSWORD);
  expect(openCarrier(oldKeys, sealed)).toMatchObject({ password: PASSWORD, options: { tlsKeyPem: PEM } });
  await database.close();
  await own.drop();
});

async function withKeys(
  secretKeys: SecretKeys | undefined,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const keys = secretKeys === undefined ? {} : { secretKeys };
  const database = await Database.open({ url: server.url, poolSize: 2, applicationName: 'spec', ...keys });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}
