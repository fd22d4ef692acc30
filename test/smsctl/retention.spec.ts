import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { runSmsctl } from './run-smsctl.js';

let server: TestDatabase;
beforeAll(async () => {
  server = await createTestDatabase();
});
afterAll(() => server.drop());

const smsctl = (...args: string[]) => runSmsctl(['retention', ...args], { DATABASE_URL: server.url });
const json = async (...args: string[]) => {
  const run = await smsctl(...args, '--json');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(run.stdout);
};

test('an operator sees that everything is kept, limits it, and keeps everything again', async () => {
  const nothing = { droppedTexts: 0, droppedMessages: 0, lastDroppedAt: null };
  expect(await json('show')).toEqual({ textDays: null, rowDays: null, ...nothing });
  expect(await json('set', '--texts', '30')).toEqual({ textDays: 30, rowDays: null, ...nothing });
  expect(await json('set', '--rows', '365')).toEqual({ textDays: 30, rowDays: 365, ...nothing });
  const shown = await smsctl('show');
  expect(shown.stdout).toContain('Texts             dropped 30 days after the message is final');
  expect(await json('set', '--texts', 'off', '--rows', 'off')).toEqual({ textDays: null, rowDays: null, ...nothing });
});

test('what cannot be meant is refused in one line, and changes nothing', async () => {
  expect(await smsctl('set', '--rows', '3')).toMatchObject({ code: 1, stderr: expect.stringContaining('7 to 36500') });
  expect(await smsctl('set')).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing to set') });
  expect(await smsctl('set', '--texts', 'soon')).toMatchObject({ code: 2, stderr: expect.stringContaining('or off') });
  expect(await json('show')).toMatchObject({ textDays: null, rowDays: null });
});
