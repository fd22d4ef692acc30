import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Database, findCarrier, importTariff, openCarrier } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { TEST_SECRET_KEYS } from '../support/secrets.js';
import { TEST_CERTIFICATE_PEM } from '../support/tls-identity.js';
import { runSmsctl } from './run-smsctl.js';

let server: TestDatabase;
let database: Database;
let folder: string;
beforeAll(async () => {
  server = await createTestDatabase();
  database = await Database.open({
    url: server.url,
    poolSize: 2,
    applicationName: 'spec',
    secretKeys: TEST_SECRET_KEYS,
  });
  folder = mkdtempSync(join(tmpdir(), 'heliograph-smsctl-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.close();
  await server.drop();
});

const smsctl = (...args: string[]) => runSmsctl(args, { DATABASE_URL: server.url });
const json = async (...args: string[]) => {
  const run = await smsctl(...args, '--json');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(run.stdout);
};

describe('an operator', () => {
  test('gives a carrier its password by a file or by the environment, and it stands nowhere', async () => {
    const file = join(folder, 'password');
    writeFileSync(file, 'the-secret-1\n');
    await json('carrier', 'add', 'by-file', 'smpp://user@host.example', '--password-file', file);
    expect(openCarrier(database.secretKeys, await findCarrier(database, 'by-file')).password).toBe('the-secret-1');
    const environment = { DATABASE_URL: server.url, CARRIER_PASSWORD: 'the-secret-2' };
    const added = await runSmsctl(['carrier', 'add', 'by-env', 'smpp://user@host.example'], environment);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(openCarrier(database.secretKeys, await findCarrier(database, 'by-env')).password).toBe('the-secret-2');
    const twice = await runSmsctl(['carrier', 'add', 'twice', 'smpp://user:in-url@host.example'], environment);
    expect(twice.code).toBe(1);
    expect(twice.stderr).toContain('the password is given twice');
    const shown = [await smsctl('carrier', 'show', 'by-file'), await smsctl('carrier', 'show', 'by-env', '--json')];
    expect(JSON.stringify(shown)).not.toMatch(/password|secret/i);
    expect(shown.map(({ code }) => code)).toEqual([0, 0]);
  });

  test.each([
    ['smpp', 'smpps://user:secret@host.example'],
    ['http', 'https://user:secret@host.example'],
  ])('gives a carrier by %s the certificate authority that stands in a file', async (protocol, url) => {
    const file = join(folder, 'ca.pem');
    writeFileSync(file, TEST_CERTIFICATE_PEM);
    await json('carrier', 'add', `ca-${protocol}`, url, '--tls-ca-pem', file);
    const { options } = openCarrier(database.secretKeys, await findCarrier(database, `ca-${protocol}`));
    expect(options).toEqual({ tlsCaPem: TEST_CERTIFICATE_PEM });
    const missing = await smsctl('carrier', 'set', `ca-${protocol}`, '--tls-ca-pem', `${file}.nowhere`);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('ca.pem.nowhere cannot be read') });
  });

  test('changes one setting of a carrier without touching the others', async () => {
    await json('carrier', 'add', 'acme', 'smpp://user:secret@host.example:2775', '--tps', '50', '--system-type', 'VMA');
    await json('carrier', 'set', 'acme', '--window', '30', '--binds', '4');
    expect(openCarrier(database.secretKeys, await findCarrier(database, 'acme'))).toMatchObject({
      host: 'host.example',
      password: 'secret',
      windowSize: 30,
      bindCount: 4,
      submitsPerSecond: 50,
      options: { systemType: 'VMA' },
    });
    await json('carrier', 'set', 'acme', '--url', 'smpps://user@other.example:3550');
    expect(openCarrier(database.secretKeys, await findCarrier(database, 'acme'))).toMatchObject({
      host: 'other.example',
      tls: true,
      password: 'secret',
      options: { systemType: 'VMA' },
    });
    const unset = await json('carrier', 'set', 'acme', '--unset', 'tps', '--unset', 'system-type', '--unset', 'binds');
    expect(unset).toMatchObject({ tps: null, binds: null, options: {} });
  });

  test.each([
    [['--system-type', 'longer than twelve'], 1, '--system-type: must be at most 12 ASCII characters without spaces'],
    [['--calling-code', '441'], 1, '--calling-code: must be the calling code of a country, 1 to 3 digits, such as 44'],
    [['--unset', 'window'], 1, '--window cannot be unset'],
    [['--unset', 'windows'], 1, '--unset windows: a carrier has no option of this name'],
    [['--tps', '5', '--unset', 'tps'], 1, '--tps is given, and --unset tps as well'],
    [['--binds', '101'], 1, 'the binds of a carrier are 1 to 100'],
    [[], 2, 'nothing to change'],
  ])('is told in one line which flag is wrong: %j', async (flags, code, reason) => {
    const run = await smsctl('carrier', 'set', 'acme', ...flags);
    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(reason);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
  });

  test('gives an account a sender of its own', async () => {
    await importTariff(database, { name: 'flat', currency: 'EUR', rates: [{ prefix: '4', price: 1n }] });
    const created = await json(
      'account',
      'create',
      '--name',
      'Acme',
      '--currency',
      'EUR',
      '--sender',
      'Acme',
      '--tariff',
      'flat',
    );
    const id = created.accountId;
    expect(created).toMatchObject({ sender: 'Acme' });
    expect(await json('account', 'set', id, '--sender', '+46701234567')).toMatchObject({ sender: '+46701234567' });
    expect((await smsctl('account', 'set', id, '--sender', 'much too long for it')).stderr).toContain(
      'a sender is up to',
    );
    expect(await json('account', 'set', id, '--sender', 'off')).toMatchObject({ sender: null, maxInFlight: null });
    expect(await json('account', 'set', id, '--max-in-flight', '20')).toMatchObject({ sender: null, maxInFlight: 20 });
    expect(await json('account', 'set', id, '--max-in-flight', 'off')).toMatchObject({ maxInFlight: null });
    expect(await json('account', 'set', id, '--balance-alert', '2.50')).toMatchObject({ balanceAlert: '2.5' });
    expect(await json('account', 'set', id, '--balance-alert', 'off')).toMatchObject({ balanceAlert: null });
    expect((await smsctl('account', 'set', id, '--max-in-flight', '0')).stderr).toContain('whole number from 1');
    expect((await smsctl('account', 'set', id)).stderr).toContain('nothing to change');
  });
});
