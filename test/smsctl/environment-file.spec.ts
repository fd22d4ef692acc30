import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withEnvironmentFile } from '../../apps/smsctl/environment-file.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { runSmsctl } from './run-smsctl.js';

let server: TestDatabase;
let folder: string;
beforeAll(async () => {
  server = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'smsctl-env-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.drop();
});

/** Runs `fx list` in a folder of its own that has this .env. */
async function listWith(lines: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const cwd = mkdtempSync(join(folder, 'in-'));
  writeFileSync(join(cwd, '.env'), `${lines.join('\n')}\n`);
  return runSmsctl(['fx', 'list'], environment, { cwd });
}
const NOWHERE = 'postgres://user:hush@127.0.0.1:1/x';

test('smsctl finds the database that the .env of the current folder names', async () => {
  const found = await listWith(['# Of this service', 'export PORT=3000', `DATABASE_URL="${server.url}" # ours`]);
  expect(found).toEqual({ code: 0, stdout: 'No rates.\n', stderr: '' });
});

test('the environment wins over the .env', async () => {
  expect((await listWith([`DATABASE_URL=${NOWHERE}`], { DATABASE_URL: server.url })).code).toBe(0);
  expect((await listWith([`DATABASE_URL=${server.url}`], { DATABASE_URL: NOWHERE })).code).toBe(1);
});

test('servers are taken from one place: a DATA_DIR of the environment is not mixed with a database of the .env', async () => {
  const data = join(folder, 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'runtime.json'), JSON.stringify({ databaseUrl: server.url }));
  expect((await listWith([`DATABASE_URL=${NOWHERE}`], { DATA_DIR: data })).code).toBe(0);
  const elsewhere = ['SMSCTL_URL=https://127.0.0.1:1', 'SMSCTL_TOKEN=hgo_hush'];
  expect((await listWith(elsewhere, { DATABASE_URL: server.url })).code).toBe(0);
  // The file that holds the URL counts as the URL.
  writeFileSync(join(data, 'url'), `${server.url}\n`);
  expect((await listWith([`DATABASE_URL=${NOWHERE}`], { DATABASE_URL_FILE: join(data, 'url') })).code).toBe(0);
});

test('a path in the .env begins at its folder, as DATA_DIR=./.data of .env.example does, and not where smsctl runs', () => {
  const home = mkdtempSync(join(folder, 'in-'));
  const file = join(home, '.env');
  const lines = [
    'DATA_DIR=./.data',
    'SECRETS_KEY_FILE=secrets/key',
    `SMSCTL_TOKEN_FILE=${folder}/token`,
    'SENDER=./me',
  ];
  writeFileSync(file, lines.join('\n'));
  const warn = (line: string) => {
    throw new Error(line);
  };
  expect(withEnvironmentFile({}, warn, [file])).toEqual({
    DATA_DIR: join(home, '.data'),
    SECRETS_KEY_FILE: join(home, 'secrets/key'),
    SMSCTL_TOKEN_FILE: `${folder}/token`,
    SENDER: './me',
  });
  expect(withEnvironmentFile({ DATA_DIR: './mine' }, warn, [file]).DATA_DIR).toBe('./mine');
});

test('a .env that cannot be read is said so, and hinders nothing that is given otherwise', async () => {
  const cwd = mkdtempSync(join(folder, 'in-'));
  mkdirSync(join(cwd, '.env'));
  chmodSync(cwd, 0o755);
  const run = await runSmsctl(['fx', 'list'], { DATABASE_URL: server.url }, { cwd });
  expect(run).toMatchObject({ code: 0, stderr: expect.stringMatching(/^smsctl: .*\.env cannot be read \(EISDIR\)/) });
});
