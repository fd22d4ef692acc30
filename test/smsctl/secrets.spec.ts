import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Database, findCarrier } from '#persistence';
import { recordHeartbeat, removeHeartbeat } from '../../libs/persistence/database/heartbeat.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { anotherSecretsKey, keysFrom, openTestDatabase } from '../support/secrets.js';
import { type Run, runSmsctl } from './run-smsctl.js';

let server: TestDatabase;
let database: Database;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  server = await createTestDatabase();
  database = await openTestDatabase(server.url, 2);
});
afterAll(async () => {
  await database.close();
  await server.drop();
  rmSync(folder, { recursive: true });
});

/** With these settings of the key and nothing else. */
const smsctl = (settings: Readonly<Record<string, string>>, ...args: string[]): Promise<Run> =>
  runSmsctl(args, { DATABASE_URL: server.url, SECRETS_KEY: '', ...settings }, { isWarm: true });

const addCarrier = (name: string, settings: Readonly<Record<string, string>> = {}): Promise<Run> =>
  smsctl({ CARRIER_PASSWORD: 'the-secret', ...settings }, 'carrier', 'add', name, `smpp://user@${name}.example:2775`);

describe('an operator without a key', () => {
  test('cannot store a password, and one line says how to make a key', async () => {
    const { code, stdout, stderr } = await addCarrier('acme');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      "smsctl: there is no key to encrypt the carrier's password with: make one with `smsctl secrets key --out FILE`, " +
        'and set SECRETS_KEY_FILE=FILE for all processes and smsctl\n',
    );
  });

  test('makes one in a file that only its owner can read', async () => {
    const file = join(folder, 'secrets-key');
    const made = await smsctl({}, 'secrets', 'key', '--out', file, '--json');
    expect(JSON.parse(made.stdout)).toEqual({ keyId: keysFrom(readFileSync(file, 'utf8')).currentId, file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // Keys of texts and of suppression lists may be stored all the same, so nothing is said of what is stored.
    const { stdout } = await smsctl({ SECRETS_KEY_FILE: file }, 'secrets', 'rotate');
    expect(stdout).toBe('No secret had to be encrypted anew: smsctl secrets status\n');
    expect((await addCarrier('acme', { SECRETS_KEY_FILE: file })).code).toBe(0);
  });

  test('is told of two keys at once, of a wrong one and of a file that is not there', async () => {
    const file = join(folder, 'secrets-key');
    for (const [settings, words] of [
      [{ SECRETS_KEY_FILE: file, SECRETS_KEY: anotherSecretsKey() }, /SECRETS_KEY and SECRETS_KEY_FILE are both set/],
      [{ SECRETS_KEY: 'too short' }, /SECRETS_KEY must be 32 bytes in base64 or hexadecimal/],
      [{ SECRETS_KEY_FILE: '/nowhere' }, /SECRETS_KEY_FILE: \/nowhere cannot be read \(ENOENT\)/],
    ] as const) {
      const { code, stderr } = await smsctl({ ...settings }, 'secrets', 'status');
      expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, lines: 1 });
      expect(stderr).toMatch(words);
    }
  });
});

describe('an exchange of keys', () => {
  test('stops at as many keys as a process takes, and leaves the file as it is', async () => {
    const file = join(folder, 'ten-keys');
    const ten = Array.from({ length: 10 }, () => `${anotherSecretsKey()}\n`).join('');
    writeFileSync(file, ten);
    expect(await smsctl({}, 'secrets', 'key', '--out', file)).toEqual({
      code: 1,
      stdout: '',
      stderr: `smsctl: ${file} holds more than 10 keys\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe(ten);
  });

  test('names the option when it cannot read the file', async () => {
    const { code, stderr } = await smsctl({}, 'secrets', 'key', '--out', folder);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `smsctl: --out: ${folder} cannot be read (EISDIR)\n` });
  });

  test('is on the disk before the file is replaced: a power cut loses no key', async () => {
    const script = `import fs from 'node:fs';
      for (const name of ['fsyncSync', 'renameSync']) {
        const real = fs[name];
        fs[name] = (...args) => { console.error(name); return real(...args); };
      }
      (await import('node:module')).syncBuiltinESMExports();`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(script)}`;
    const { stderr } = await smsctl({ NODE_OPTIONS }, 'secrets', 'key', '--out', join(folder, 'safe-key'));
    expect(stderr.trim().split('\n')).toEqual(['fsyncSync', 'renameSync']);
  });

  test('leaves the file readable for the processes that could read it before', async () => {
    const file = join(folder, 'shared-key');
    await smsctl({}, 'secrets', 'key', '--out', file);
    const owner = process.getuid?.() === 0 ? 65534 : statSync(file).uid;
    chownSync(file, owner, owner === 65534 ? owner : statSync(file).gid);
    chmodSync(file, 0o640);
    expect((await smsctl({}, 'secrets', 'key', '--out', file)).code).toBe(0);
    const { uid, mode } = statSync(file);
    expect({ uid, mode: mode & 0o777 }).toEqual({ uid: owner, mode: 0o640 });
    expect(keysFrom(readFileSync(file, 'utf8')).ids).toHaveLength(2);
  });

  test('is refused while a running process lacks the new key, and changes nothing', async () => {
    const file = join(folder, 'secrets-key');
    const [oldId] = keysFrom(readFileSync(file, 'utf8')).ids;
    await recordHeartbeat(database, {
      processId: 'worker-1',
      role: 'worker',
      details: { secretKeys: [oldId] },
    });
    await smsctl({}, 'secrets', 'key', '--out', file);
    const before = (await findCarrier(database, 'acme')).password;
    const refused = await smsctl({ SECRETS_KEY_FILE: file }, 'secrets', 'rotate');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^smsctl: nothing was changed: worker-1 lacks key [0-9a-f]{8}: restart it/);
    expect((await findCarrier(database, 'acme')).password).toEqual(before);
    await removeHeartbeat(database, 'worker-1');
  });

  test('needs no clear text anywhere: the file has both keys, then all secrets have the new one, then the old one may go', async () => {
    const file = join(folder, 'secrets-key');
    const [newKey = '', oldKey = ''] = readFileSync(file, 'utf8').split('\n');
    const settings = { SECRETS_KEY_FILE: file };
    const rotated = await smsctl(settings, 'secrets', 'rotate', '--json');
    expect(JSON.parse(rotated.stdout)).toEqual({
      keyId: keysFrom(newKey).currentId,
      encrypted: [],
      reencrypted: ['acme'],
      unchanged: [],
    });
    writeFileSync(file, newKey);
    const status = await smsctl(settings, 'secrets', 'status', '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({
      keyIds: keysFrom(newKey).ids,
      stored: [{ keyId: keysFrom(newKey).currentId, carriers: ['acme'] }],
      unreadable: [],
    });
    const withOld = await smsctl({ SECRETS_KEY: oldKey }, 'secrets', 'status');
    expect(withOld.code).toBe(1);
    expect(withOld.stdout).toContain(`Carrier acme: its password is encrypted with key ${keysFrom(newKey).currentId}`);
    expect(withOld.stdout + rotated.stdout + status.stdout).not.toContain('the-secret');
  });
});

test('doctor fails where a secret cannot be read, and warns where one is stored in clear', async () => {
  const secrets = async (settings: Readonly<Record<string, string>>) => {
    const { stdout } = await smsctl(settings, 'doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; detail: string }[] };
    return checks.find(({ check }) => check === 'secrets');
  };
  const right = { SECRETS_KEY_FILE: join(folder, 'secrets-key') };
  expect(await secrets(right)).toMatchObject({ state: 'ok' });
  expect(await secrets({ SECRETS_KEY: anotherSecretsKey() })).toMatchObject({
    state: 'fail',
    detail: expect.stringMatching(
      /^of acme, its password is encrypted with key [0-9a-f]{8}, which this process does not have/,
    ),
  });
  await database.query("update carrier set password = 'in clear' where name = 'acme'");
  const clear = await secrets(right);
  expect(clear).toMatchObject({ state: 'warn', detail: expect.stringContaining('of acme are stored in clear') });
  expect(clear?.detail).not.toContain('in clear: in clear');
});
