import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TestLedger } from '../support/test-ledger.js';
import { runSmsctl } from './run-smsctl.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

const smsctl = (...args: string[]) => runSmsctl(['retention', ...args], { DATABASE_URL: ledger.url });
const json = async (...args: string[]) => {
  const run = await smsctl(...args, '--json');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(run.stdout);
};

test('an operator sees that everything is kept, limits it, and keeps everything again', async () => {
  const dropped = { droppedTexts: 0, redactedNumbers: 0, droppedMessages: 0, lastDroppedAt: null };
  const nothing = { ...dropped, waitingMessages: 0, openRequests: 0 };
  const kept = { textDays: null, numberDays: null, rowDays: null };
  expect(await json('show')).toEqual({ ...kept, ...nothing });
  expect(await json('set', '--texts', '30')).toEqual({ ...kept, textDays: 30, ...nothing });
  expect(await json('set', '--rows', '365')).toEqual({ ...kept, textDays: 30, rowDays: 365, ...nothing });
  expect(await json('set', '--numbers', '90')).toEqual({ textDays: 30, numberDays: 90, rowDays: 365, ...nothing });
  const shown = await smsctl('show');
  expect(shown.stdout).toMatch(/Texts +dropped 30 days after the message is final/);
  expect(shown.stdout).toMatch(/Numbers +redacted 90 days after the message is final/);
  expect(await json('set', '--texts', 'off', '--numbers', 'off', '--rows', 'off')).toEqual({ ...kept, ...nothing });
});

test('an operator sets other days for one account, keeps its texts for ever, and takes that back', async () => {
  const accountId = await ledger.account(0);
  await json('set', '--texts', '30');
  const forAll = { textDays: 30, numberDays: null };
  const none = { textDays: null, numberDays: null };
  const own = (operators: object, holds: object) => ({ ...holds, operators, owners: none, forAll });
  expect(await json('show', accountId)).toEqual(own(none, forAll));
  const short = { textDays: 2, numberDays: 7 };
  expect(await json('set', accountId, '--texts', '2', '--numbers', '7')).toEqual(own(short, short));
  const kept = { textDays: 0, numberDays: 7 };
  expect(await json('set', accountId, '--texts', 'off')).toEqual(own(kept, { textDays: null, numberDays: 7 }));
  expect((await smsctl('show', accountId)).stdout).toMatch(/Set for the account +texts kept, numbers 7 days/);
  expect(await json('set', accountId, '--texts', 'as-for-all', '--numbers', 'as-for-all')).toEqual(own(none, forAll));
  await json('set', '--texts', 'off');
});

test('what cannot be meant is refused in one line, and changes nothing', async () => {
  expect(await smsctl('set', '--rows', '3')).toMatchObject({ code: 1, stderr: expect.stringContaining('7 to 36500') });
  expect(await smsctl('set')).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing to set') });
  expect(await smsctl('set', '--texts', 'soon')).toMatchObject({ code: 2, stderr: expect.stringContaining('or off') });
  expect(await smsctl('set', '--numbers', '6')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('7 to 36500'),
  });
  expect(await smsctl('set', '--texts', 'as-for-all')).toMatchObject({ code: 2 });
  expect(await smsctl('set', '1001', '--rows', '9')).toMatchObject({ code: 2 });
  expect(await smsctl('show', '999')).toMatchObject({ code: 1, stderr: expect.stringContaining('999') });
  expect(await json('show')).toMatchObject({ textDays: null, rowDays: null });
});
