import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listOperatorChanges } from '#persistence';
import { answer, batchOf, receiptFor, TestLedger } from '../support/test-ledger.js';
import { runSmsctl } from './run-smsctl.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

const smsctl = (...args: string[]) => runSmsctl(args, { DATABASE_URL: ledger.url });
const json = async (...args: string[]) => {
  const run = await smsctl(...args, '--json');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(run.stdout);
};

test('an operator sets guards of an account and for all, sees both, and the record has who changed what', async () => {
  const accountId = await ledger.account(1);
  await json('guard', 'set', 'all', '--range-hour', '200');
  const set = await json('guard', 'set', accountId, '--countries', 'gb,DE', '--spend-day', '10', '--price-max', '0.05');
  const own = { countries: ['DE', 'GB'], spendDayMax: '10', priceMax: '0.05' };
  expect(set).toMatchObject({ accountId, own, forAll: { rangeHourMax: 200 } });
  expect(await json('guard', 'set', accountId, '--range-hour', 'off')).toMatchObject({ own: { rangeHourMax: null } });
  expect((await json('guard', 'list')).map((one: { accountId: string }) => one.accountId)).toEqual(['all', accountId]);
  const cleared = await json('guard', 'clear', accountId, '--guards', 'countries,range-hour');
  expect(cleared.own).toEqual({ spendDayMax: '10', priceMax: '0.05' });
  expect((await smsctl('guard', 'show', accountId)).stdout).toMatch(
    /Messages to a range an hour, at most +200 \(for all\)/,
  );
  expect(await json('guard', 'clear', 'all')).toMatchObject({ forAll: {} });
  const changes = await listOperatorChanges(ledger.database, { accountId, subject: 'guard' }, 10);
  expect(changes[0]).toMatchObject({ action: 'update', after: { settings: { spendDayMax: '10', priceMax: '0.05' } } });
});

test('a guard that limits nothing without another one says so, wherever the other one may stand', async () => {
  const accountId = await ledger.account(1);
  const set = async (of: string, ...flags: string[]) => (await smsctl('guard', 'set', of, ...flags)).stdout;
  const idle = '--ramp-days limits nothing without --ramp-spend-day';
  expect(await set(accountId, '--ramp-days', '7')).toContain(`\n\n${idle}.\n`);
  expect(await set('all', '--ramp-days', '7')).toContain(`\n\n${idle} for an account that has none of its own.\n`);
  expect(await set('all', '--ramp-spend-day', '5')).not.toContain('nothing');
  expect((await smsctl('guard', 'show', accountId)).stdout).not.toContain('nothing');
  expect(await set(accountId, '--range-digits', '3')).toContain('--range-digits limits nothing without --range-hour.');
  await json('guard', 'clear', 'all');
});

test('a simulation says what guards would have refused, and changes nothing', async () => {
  const accountId = await ledger.account(10);
  const to = (destination: string) => ledger.message(1, { destination, recipient: destination });
  const first = to('447700900001');
  const messages = [first, ...['447700900002', '447700900003', '4915112345678'].map(to)];
  await ledger.accept(accountId, [batchOf(messages)]);
  const order = await ledger.claimed(first.id);
  await ledger.record([answer(order, 1, 'accepted')]);
  await ledger.settle([receiptFor(first, 1, 'delivered')]);
  const tried = await json('guard', 'simulate', accountId, '--days', '7', '--countries', 'GB', '--range-hour', '2');
  expect(tried).toMatchObject([
    {
      accountId,
      messages: 4,
      amount: '0.04',
      refused: [
        { code: 'velocity_limit', messages: 1, amount: '0.01', delivered: 0 },
        { code: 'destination_blocked', messages: 1, amount: '0.01', delivered: 0 },
      ],
    },
  ]);
  const blocked = await json('guard', 'simulate', 'all', '--countries', 'DE');
  expect(blocked).toMatchObject([{ accountId, refused: [{ messages: 3, delivered: 1 }] }]);
  expect((await json('guard', 'show', accountId)).own).toEqual({});
});

test('an operator keeps the suppression list of an account', async () => {
  const accountId = await ledger.account(1);
  expect(await json('suppression', 'add', accountId, '+44 7700 900123', '--reason', 'letter')).toEqual({
    isNew: true,
    canceled: 0,
  });
  expect((await json('suppression', 'list', accountId, '447700900123')).data).toMatchObject([
    { source: 'operator', reason: 'letter' },
  ]);
  expect((await smsctl('suppression', 'list', accountId)).stdout).toContain('letter');
  expect(await json('suppression', 'remove', accountId, '00447700900123')).toEqual({ isRemoved: true });
  expect((await smsctl('suppression', 'list', accountId)).stdout).toContain('The list is empty.');
});

test('what cannot be meant is refused in one line', async () => {
  const accountId = await ledger.account(0);
  expect(await smsctl('guard', 'set', accountId)).toMatchObject({ code: 2 });
  expect(await smsctl('guard', 'clear', accountId, '--guards', 'price')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('It must be of countries, price-max, '),
  });
  const unknown = await smsctl('guard', 'set', accountId, '--countries', 'UK');
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('UK is none') });
  expect(await smsctl('guard', 'show', '99')).toMatchObject({ code: 1, stderr: 'smsctl: there is no account 99\n' });
  expect(await smsctl('suppression', 'add', accountId, 'x')).toMatchObject({ code: 1 });
  for (const reason of ['', 'x'.repeat(201)]) {
    const { code, stderr } = await smsctl('suppression', 'add', accountId, '+447700900124', '--reason', reason);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'smsctl: a reason has 1 to 200 characters\n' });
  }
});
