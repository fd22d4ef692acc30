import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { formatMicros } from '#billing';
import { answer, receiptFor, TestLedger } from '../support/test-ledger.js';
import { type Run, runSmsctl } from './run-smsctl.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(async () => {
  await ledger.expectClean();
  await ledger.close();
});

const smsctl = (...args: string[]): Promise<Run> => runSmsctl(args, { DATABASE_URL: ledger.url });
const json = async (...args: string[]) => {
  const run = await smsctl(...args, '--json');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(run.stdout);
};
const refused = async (code: number, reason: string, ...args: string[]): Promise<void> => {
  const run = await smsctl(...args);
  expect(run).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^smsctl: [^\n]+\n$/) });
  expect(run.stderr).toContain(reason);
};

describe('an operator changes an account', () => {
  test('its name, its tariff and its sender, all or nothing', async () => {
    const account = await ledger.account(1);
    await ledger.database.query("insert into tariff (name, currency) values ('dollars', 'USD'), ('other', 'EUR')");
    expect(await json('account', 'set', account, '--name', 'Acme Ltd', '--tariff', 'other')).toMatchObject({
      name: 'Acme Ltd',
      tariff: 'other',
    });
    await refused(
      1,
      'the tariff dollars is in USD, not in EUR',
      'account',
      'set',
      account,
      '--name',
      'No',
      '--tariff',
      'dollars',
    );
    await refused(1, 'a sender is up to 11 letters, digits, spaces', 'account', 'set', account, '--sender', ' ');
    expect(await json('account', 'show', account)).toMatchObject({ name: 'Acme Ltd', tariff: 'other', sender: null });
  });

  test('and nobody has two accounts of one name', async () => {
    const account = await ledger.account(1);
    await json('account', 'set', account, '--name', 'Unique');
    await refused(1, 'another account has this name', 'account', 'set', await ledger.account(0), '--name', ' Unique ');
    await refused(1, 'another account has this name', 'account', 'create', '--name', 'Unique', '--currency', 'EUR');
  });

  test.each([
    [['account', 'set', '1001'], 'nothing to change'],
    [['account', 'suspend', '1001', '--hold-queued', '--refund-queued'], 'give one of them'],
    [
      ['account', 'statement', '1001', '--from', '2026-02-01T00:00:00Z', '--to', '2026-01-01T00:00:00Z'],
      '--from is after',
    ],
    [['account', 'statement', '1001', '--from', '2026-11-31T00:00:00Z'], 'on a day that exists'],
    [['hold', 'resolve', '--as', 'resend', '--carrier', 'acme'], 'with --as unknown only'],
    [['statement', '1001', '--month', '2026-10', '--output', 'october.csv'], '--output needs --format'],
    [['route', 'set', '44', 'acme'], 'nothing to change'],
    [['account', 'list', '--url'], "unknown option '--url'; --url goes before the command"],
    [['account', 'usage', '1001', '--from', '2026-10-02', '--to', '2026-10-01'], '--from is after'],
  ])('%j is wrong usage', (args, reason) => refused(2, reason, ...args));

  test.each([
    [['account', 'set', '9999', '--name', 'X']],
    [['account', 'suspend', '9999']],
    [['account', 'resume', '9999']],
    [['account', 'close', '9999', '--yes']],
    [['account', 'statement', '9999']],
    [['account', 'usage', '9999']],
    [['account', 'set-credit-limit', '9999', '1']],
    [['account', 'set-rate-limit', '9999', 'off']],
    [['deposit', 'list', '9999']],
    [['key', 'create', '9999']],
    [['message', 'list', '--account', '9999']],
    [['inbound', 'list', '--account', '9999']],
    [['number', 'list', '--account', '9999']],
    [['webhook', 'list', '9999']],
    [['hold', 'resolve', '--as', 'resend', '--account', '9999']],
  ])('%j fails, because there is no such account', (args) => refused(1, 'there is no account 9999', ...args));

  test.each([[['message', 'list', '--carrier', 'acne']], [['inbound', 'list', '--carrier', 'acne']]])(
    '%j fails, because there is no such carrier',
    (args) => refused(1, 'there is no carrier acne', ...args),
  );

  test('held messages of a period that ends before it begins are no decision', () => {
    const period = ['--from', '2026-02-01T00:00:00Z', '--to', '2026-01-01T00:00:00Z'];
    return refused(1, 'would end before it begins', 'hold', 'resolve', '--as', 'refund', ...period);
  });

  test('a statement of a name fails in the same words', () =>
    refused(1, 'there is no account Acme', 'statement', 'Acme', '--month', '2026-10'));
});

describe('an operator closes an account', () => {
  test('once nothing of it is open; it takes no money and no key any more, and its name is free', async () => {
    const account = await ledger.account(5);
    await json('account', 'set', account, '--name', 'Leaving');
    const message = await ledger.queued(account);
    await refused(1, 'has open messages (1 queued, 0 being sent)', 'account', 'close', account, '--yes');
    expect(await json('account', 'suspend', account, '--refund-queued')).toMatchObject({ refunded: 1, reserved: '0' });
    expect(await ledger.state(message.id)).toBe('failed');
    // There is nobody to ask.
    await refused(
      1,
      'has a balance of 0.05 EUR, and a closed account is never opened again',
      'account',
      'close',
      account,
    );
    expect((await smsctl('account', 'close', account, '--yes')).stdout).toBe(
      `Account ${account} (Leaving) is closed. Its balance was 0.05 EUR.\n`,
    );
    for (const args of [
      ['deposit', account, '1', 'EUR'],
      ['adjust', account, '1', '--reason', 'late'],
      ['key', 'create', account],
      ['account', 'resume', account],
      ['account', 'close', account],
      ['account', 'set-credit-limit', account, '1'],
    ]) {
      await refused(1, `account ${account} is closed`, ...args);
    }
    expect(await ledger.accept(account, [ledger.message()])).toEqual([{ kind: 'closed' }]);
    expect(await json('account', 'statement', account)).toMatchObject({ closing: '0.05' });
    await json('account', 'create', '--name', 'Leaving', '--currency', 'EUR');
  });
});

describe('an operator finds money and messages', () => {
  test('what an account has used, and messages by what the client calls them', async () => {
    const account = await ledger.account(100);
    const labelled = ledger.message(2, { destination: '46700000077', reference: 'order-7', tag: 'spring' });
    await ledger.accept(account, [labelled]);
    await ledger.queued(account, 1, { destination: '491700000077' });
    const { lines } = await json('account', 'usage', account);
    expect(lines).toMatchObject([
      { destination: '46', state: 'queued', messages: 1, segments: 2, currency: 'EUR' },
      { destination: '49', state: 'queued', messages: 1, segments: 1, currency: 'EUR' },
    ]);
    expect((await smsctl('account', 'usage', account, '--to', '2000-01-01')).stdout).toContain('Nothing was sent');
    for (const day of ['today', '2026-11-31', '0000-01-01']) {
      await refused(2, 'A day is written as', 'account', 'usage', account, '--from', '2026-11-01', '--to', day);
    }
    for (const filter of [
      ['--reference', 'order-7'],
      ['--tag', 'spring'],
    ]) {
      expect(await json('message', 'list', '--account', account, ...filter)).toMatchObject([{ id: labelled.id }]);
    }
    expect(await json('message', 'list', '--account', account, '--tag', 'autumn')).toEqual([]);
    await refused(1, 'give --account as well', 'message', 'list', '--tag', 'spring');
    expect((await smsctl('message', 'show', labelled.id)).stdout).toMatch(/Reference +order-7/);
  });

  test('a statement adds up to the journal, from any moment to any other', async () => {
    const account = await ledger.account(100);
    const messages = [await ledger.queued(account), await ledger.queued(account, 3), await ledger.queued(account)];
    const claimed = await ledger.claimed(messages[0]?.id ?? '');
    await ledger.record([answer(claimed, 1, 'accepted')]);
    const failing = await ledger.claimed(messages[2]?.id ?? '');
    await ledger.record([answer(failing, 1, 'refused')]);
    // Days that differ, as after a month of use.
    await ledger.database.query(
      'update journal_entry set created_at = created_at - make_interval(days => (5 - entry)::integer) where account_id = $1',
      [account],
    );
    const whole = await json('account', 'statement', account);
    const { available } = await ledger.figures(account);
    expect(whole).toMatchObject({ opening: '0', closing: formatMicros(available) });
    const [entry] = await ledger.database.query<{ at: Date }>(
      'select created_at as at from journal_entry where account_id = $1 and entry = 3',
      [account],
    );
    const middle = entry?.at.toISOString() ?? '';
    const first = await json('account', 'statement', account, '--to', middle);
    const second = await json('account', 'statement', account, '--from', middle);
    expect(second.opening).toBe(first.closing);
    expect(second.closing).toBe(whole.closing);
    expect([...first.lines, ...second.lines].reduce((sum, { entries }) => sum + entries, 0)).toBe(
      whole.lines.reduce((sum: number, { entries }: { entries: number }) => sum + entries, 0),
    );
    const text = (await smsctl('account', 'statement', account)).stdout;
    expect(text).toContain('Opening balance: 0\n');
    expect(text).toContain(`Closing balance: ${formatMicros(available)}\n`);
  });

  test('deposits and adjustments of an account, newest first', async () => {
    const account = await ledger.account(100);
    await json('deposit', account, '2', 'EUR', '--ref', 'invoice-9');
    await json('adjust', account, '-0.5', '--reason', 'booked twice');
    expect(await json('deposit', 'list', account, '--limit', '2')).toMatchObject([
      { number: 3, kind: 'adjustment', accountAmount: '-0.5', reason: 'booked twice' },
      { number: 2, kind: 'deposit', accountAmount: '2', reference: 'invoice-9' },
    ]);
    expect((await smsctl('deposit', 'list', account)).stdout).toMatch(
      /^NUMBER +KIND[^\n]*\n +3 +adjustment +-0.5 +EUR/,
    );
  });

  test('messages by account, recipient, state, carrier and time', async () => {
    const [account, other] = [await ledger.account(100), await ledger.account(100)];
    const [sent, waiting] = [await ledger.queued(account), await ledger.queued(account)];
    const elsewhere = await ledger.queued(other);
    const claimed = await ledger.claimed(sent.id);
    await ledger.record([answer(claimed, 1, 'accepted')]);
    await ledger.settle([receiptFor(sent, 1, 'delivered')]);
    const ids = async (...args: string[]) =>
      (await json('message', 'list', ...args)).map(({ id }: { id: string }) => id);
    expect(await ids('--account', account)).toEqual([waiting.id, sent.id]);
    expect(await ids('--account', account, '--state', 'delivered')).toEqual([sent.id]);
    expect(await ids('--recipient', waiting.recipient)).toEqual([waiting.id]);
    expect(await ids('--carrier', 'carrier-1', '--account', account)).toEqual([sent.id]);
    expect(await ids('--limit', '2')).toEqual([elsewhere.id, waiting.id]);
    expect(await ids('--since', '2100-01-01T00:00:00Z')).toEqual([]);
    expect(await ids('--until', '2020-01-01T00:00:00Z')).toEqual([]);
    expect(await ids('--account', account, '--since', '2020-01-01T00:00:00Z')).toHaveLength(2);
    await refused(1, 'there is no carrier nobody', 'message', 'list', '--carrier', 'nobody');
    await refused(2, 'not a number that a message can go to', 'message', 'list', '--recipient', 'x');
    const shown = (await smsctl('message', 'show', sent.id)).stdout;
    expect(shown).toMatch(/Accepted +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z/);
  });
});

test('an adjustment that takes the balance below 0, or is more than all deposits, is booked only with --yes', async () => {
  const account = await ledger.account(100);
  await refused(
    1,
    'takes its balance from 1 to -99999: give --yes if that is meant',
    'adjust',
    account,
    '-100000',
    '--reason',
    'x',
  );
  await refused(1, 'is more than all that was deposited so far (1)', 'adjust', account, '5', '--reason', 'x');
  expect(await json('adjust', account, '-0.4', '--reason', 'x')).toMatchObject({ creditRemaining: '0.6' });
  expect(await json('adjust', account, '-1', '--reason', 'x', '--yes')).toMatchObject({ creditRemaining: '-0.4' });
});
