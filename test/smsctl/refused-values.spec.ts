import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { runSmsctl } from './run-smsctl.js';

let server: TestDatabase;
beforeAll(async () => {
  server = await createTestDatabase();
});
afterAll(() => server.drop());

test.each([
  ['an amount of nothing', 2, ['deposit', '1001', '0', 'EUR'], 'It must be above 0.'],
  ['an amount below 0', 2, ['deposit', '1001', '-5', 'EUR', '--ref', 'r'], "'-5' is invalid for argument 'amount'"],
  ['a decimal comma', 2, ['adjust', '1001', '-5,50', '--reason', 'r'], 'is a decimal number such as -2.50'],
  ['a count that is too large', 2, ['deposit', 'list', '1001', '--limit', '9999999999'], 'from 1, of at most 9 digits'],
  ['an empty list', 2, ['account', 'set', '1001', '--allow-senders', ''], 'It must be a list with commas, or off.'],
  ['a duration without a unit', 2, ['key', 'create', '1001', '--expires', '90'], 'with s, m, h or d, e.g. 24h'],
  ['an expiry after all calendars', 2, ['key', 'create', '1001', '--expires', '999999999d'], 'before the year 10000'],
  ['two forms at once', 2, ['audit', '--csv', '--json'], 'give one of them'],
  ['two forms of a statement', 2, ['statement', '1', '--month', '2026-10', '--format', 'csv', '--json'], 'two forms'],
  ['days of no year', 2, ['guard', 'simulate', 'all', '--days', '367'], 'It must be 1 to 366.'],
  ['a file without rates', 1, ['tariff', 'import', 'a', '--currency', 'EUR', '/dev/null'], '/dev/null: the file has'],
  [
    'a file without a password',
    1,
    ['carrier', 'add', 'p', 'smpp://u@h', '--password-file', '/dev/null'],
    'no password',
  ],
  ['a cost and none', 2, ['route', 'set', '46', 'x', '--cost', '1', '--currency', 'EUR', '--unset', 'cost'], 'one of'],
  ['an amount with 7 decimals', 2, ['deposit', '1001', '0.0000001', 'EUR'], 'at most 6 decimals'],
  ['an amount with an exponent', 2, ['deposit', '1001', '1e3', 'EUR'], 'without exponent'],
  ['a currency that is none', 2, ['deposit', '1001', '1', 'EURO'], 'A currency is a code such as EUR.'],
])('a value that is refused is told with its rule, in one line: %s', async (_what, code, args, reason) => {
  const run = await runSmsctl(args, { DATABASE_URL: server.url });
  expect(run).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^smsctl: [^\n]+\n$/) });
  expect(run.stderr).toContain(reason);
});
