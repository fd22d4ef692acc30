import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { runSmsctl, SMSCTL } from './run-smsctl.js';

let server: TestDatabase;
let folder: string;
beforeAll(async () => {
  server = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'smsctl-tariff-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.drop();
});

const smsctl = (...args: string[]) => runSmsctl(['tariff', ...args], { DATABASE_URL: server.url });
const json = async (...args: string[]) => {
  const run = await smsctl(...args, '--json');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(run.stdout);
};
const csv = (...lines: string[]): string => {
  const file = join(mkdtempSync(join(folder, 'csv-')), 'prices.csv');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
};

test('all lines that are wrong are named at once, and nothing is imported', async () => {
  const file = csv('prefix,price', '46,0.05', '+49,0.1', '44,1e3', '46,0.06', '1,0,1');
  const run = await smsctl('import', 'faulty', '--currency', 'EUR', file);
  expect(run).toMatchObject({ code: 1, stdout: '' });
  for (const line of [3, 4, 5, 6]) expect(run.stderr).toContain(`line ${line}: `);
  expect(run.stderr).not.toContain('line 2');
  expect((await smsctl('show', 'faulty')).stderr).toContain('there is no tariff faulty');
});

test('a list that is not in UTF-8 is refused, instead of stored with other letters', async () => {
  const file = join(folder, 'latin1.csv');
  writeFileSync(file, "prefix,price,country\n225,0.05,C\u00f4te d'Ivoire\n", 'latin1');
  const run = await smsctl('import', 'latin1', '--currency', 'EUR', file);
  expect(run).toMatchObject({ code: 1, stderr: `smsctl: ${file} is not a text in UTF-8\n` });
});

test('a decimal comma is never taken for a country', async () => {
  const run = await smsctl(
    'import',
    'comma',
    '--currency',
    'EUR',
    csv('prefix,price,country', '49,0,075', '46,0.05,Sweden'),
  );
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('line 2: the country "075" does not begin with a letter');
});

test('--dry-run says what would change and changes nothing; the import does just that', async () => {
  const before = csv('prefix,price,country', '46,0.05,Sweden', '49,0.075,"Germany, mostly"', '44,0.04,', '1,0.01,USA');
  expect(await json('import', 'list', '--currency', 'EUR', before)).toMatchObject({ rateCount: 4, added: 4 });
  const after = csv(
    'prefix,price,country',
    '46,0.06,Sweden',
    '49,0.075,"Germany, mostly"',
    '44,0.04,United Kingdom',
    '47,0.07,Norway',
  );
  const difference = { added: 1, removed: 1, changed: 2, unchanged: 1 };
  const dryRun = await json('import', 'list', '--currency', 'EUR', after, '--dry-run');
  expect(dryRun).toMatchObject({
    ...difference,
    changes: [
      { change: 'removed', prefix: '1', oldPrice: '0.01', price: null },
      { change: 'changed', prefix: '44', oldPrice: '0.04', price: '0.04', country: 'United Kingdom' },
      { change: 'changed', prefix: '46', oldPrice: '0.05', price: '0.06' },
      { change: 'added', prefix: '47', oldPrice: null, price: '0.07' },
    ],
  });
  expect(await json('show', 'list')).toMatchObject({
    rates: [{ prefix: '1' }, { prefix: '44' }, { prefix: '46' }, { prefix: '49' }],
  });
  const asLooked = ['import', 'list', '--currency', 'EUR', after, '--revision', String(dryRun.revision)];
  expect(await json(...asLooked)).toMatchObject({ rateCount: 4, ...difference });
  expect(await smsctl(...asLooked)).toMatchObject({ code: 1, stderr: expect.stringContaining('another change since') });
  expect(await smsctl(...asLooked, '--dry-run')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--revision'),
  });
  expect(await json('show', 'list')).toMatchObject({
    rates: [
      { prefix: '44', price: '0.04', country: 'United Kingdom' },
      { prefix: '46', price: '0.06', country: 'Sweden' },
      { prefix: '47', price: '0.07', country: 'Norway' },
      { prefix: '49', price: '0.075', country: 'Germany, mostly' },
    ],
  });
});

test('- is standard input', async () => {
  const child = spawn(SMSCTL, ['tariff', 'import', 'piped', '--currency', 'EUR', '-'], {
    env: { PATH: process.env.PATH ?? '', DATABASE_URL: server.url },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.end('prefix,price\n46,0.05\n');
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  expect(await json('show', 'piped')).toMatchObject({ rates: [{ prefix: '46', price: '0.05' }] });
});
