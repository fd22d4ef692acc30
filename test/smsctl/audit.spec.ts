import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { addToken, bookDeposit, importTariff, type OperatorChange, storeInbound } from '#persistence';
import { smsctlProgram, TOPIC_NAMES } from '../../apps/smsctl/program.js';
import { Session } from '../../apps/smsctl/session.js';
import { inboundDelivery } from '../support/inbound.js';
import { anotherSecretsKey, TEST_SECRETS_KEY } from '../support/secrets.js';
import { TestLedger } from '../support/test-ledger.js';
import { webhookTo } from '../support/webhooks.js';
import { type Run, runSmsctl } from './run-smsctl.js';

/** Commands that change nothing in the database. */
const READING = [
  'account list',
  'account show',
  'account statement',
  'account usage',
  'audit',
  'carrier list',
  'carrier show',
  'deposit list',
  'cost show',
  'doctor',
  'fx list',
  'guard list',
  'guard show',
  'guard simulate',
  'hold show',
  'inbound list',
  'key list',
  'keyword list',
  'ledger verify',
  'message list',
  'margin',
  'message show',
  'number list',
  'operator list',
  'operator token list',
  'receipts unmatched',
  'reconcile',
  'retention show',
  'route list',
  'route test',
  'secrets key',
  'secrets status',
  'statement',
  'suppression list',
  'tariff list',
  'tariff show',
  'webhook list',
  'webhook show',
];

/** Needs a worker: test/worker/carrier-test.spec.ts sees that it leaves a record. */
const CHANGING_ELSEWHERE = ['carrier test'];

const SECRET = 'p4ss-w0rd';
/** When other prices of the tariff flat would begin. */
const PLANNED = new Date(Date.now() + 86_400_000);

/**
 * Every other command, in an order in which each finds something to change. Accounts by the letters that the world
 * gives them.
 */
const CHANGING: readonly (readonly [string, (world: World) => readonly string[]])[] = [
  ['tariff import', ({ csv }) => ['flat-2', '--currency', 'EUR', csv]],
  ['tariff set-default', () => ['flat-2']],
  ['tariff cancel', () => ['flat', '--from', PLANNED.toISOString()]],
  ['cost import', ({ csv }) => ['carrier-1', csv, '--currency', 'EUR', '--from', '2026-01-01T00:00:00Z']],
  ['account create', () => ['--name', 'Fresh', '--currency', 'EUR']],
  ['account set', ({ account }) => [account, '--name', 'Renamed', '--tariff', 'flat-2']],
  ['account set-credit-limit', ({ account }) => [account, '25']],
  ['account set-rate-limit', ({ account }) => [account, '1000']],
  ['key create', ({ account }) => [account, '--name', 'shop', '--scopes', 'send']],
  ['key rotate', ({ keyId }) => [keyId, '--overlap', '1h']],
  ['key revoke', ({ keyId }) => [keyId]],
  ['fx set', () => ['USD', 'EUR', '0.9215']],
  ['deposit', ({ account }) => [account, '10', 'EUR', '--ref', 'invoice-1']],
  ['adjust', ({ account }) => [account, '-1', '--reason', 'a mistake']],
  ['carrier add', () => ['added', `smpp://user:${SECRET}@host.example`]],
  ['carrier set', () => ['added', '--window', '5']],
  ['carrier pause', () => ['added']],
  ['carrier resume', () => ['added']],
  ['route add', () => ['46', 'carrier-1', '--only-this']],
  ['route set', () => ['46', 'carrier-1', '--weight', '3']],
  ['route remove', () => ['46']],
  ['carrier remove', () => ['added']],
  ['secrets rotate', () => []],
  ['guard set', ({ account }) => [account, '--countries', 'SE,DE', '--spend-day', '10']],
  ['guard clear', ({ account }) => [account]],
  ['suppression add', ({ account }) => [account, '+46701234567']],
  ['suppression remove', ({ account }) => [account, '+46701234567']],
  ['number assign', ({ account }) => ['+46761234567', account]],
  ['number release', () => ['+46761234567']],
  ['inbound assign', ({ account, inbound }) => [inbound, account]],
  ['keyword set', () => ['stop', 'de', 'genug']],
  ['keyword remove', () => ['genug']],
  ['hold set', () => ['--reason', 'a restore']],
  ['hold resolve', ({ held }) => ['--as', 'refund', '--account', held]],
  ['hold release', () => []],
  ['webhook disable', ({ webhook }) => [webhook]],
  ['webhook enable', ({ webhook }) => [webhook]],
  ['retention set', () => ['--texts', '30']],
  ['redact message', ({ message }) => [message]],
  ['redact number', ({ account }) => [account, '+46701234567']],
  ['operator add', () => ['alice', '--role', 'viewer']],
  ['operator role', () => ['alice', 'support']],
  ['operator reset', () => ['alice']],
  ['operator disable', () => ['alice']],
  ['operator enable', () => ['alice']],
  ['operator remove', () => ['alice']],
  ['operator token add', () => ['deposits', '--role', 'finance', '--expires', '90d']],
  ['operator token revoke', ({ operatorToken }) => [operatorToken]],
  ['account suspend', ({ account }) => [account, '--refund-queued']],
  ['account resume', ({ account }) => [account]],
  ['account close', ({ empty }) => [empty, '--yes']],
];

interface World {
  readonly account: string;
  readonly held: string;
  readonly empty: string;
  readonly keyId: string;
  readonly webhook: string;
  readonly operatorToken: string;
  /** A message that is on its way. */
  readonly message: string;
  /** A message from a handset that answers no account. */
  readonly inbound: string;
  readonly csv: string;
}

let ledger: TestLedger;
let folder: string;
let world: World;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'smsctl-audit-'));
  ledger = await TestLedger.create();
  const rates = [{ prefix: '46', price: 1n }];
  await importTariff(ledger.database, { name: 'flat', currency: 'EUR', rates, validFrom: PLANNED });
  const csv = join(folder, 'prices.csv');
  writeFileSync(csv, 'prefix,price,country\n46,0.05,Sweden\n49,0.075,Germany\n');
  const [account, held, empty] = [await ledger.account(10), await ledger.account(10), await ledger.account(0)];
  const [key] = await ledger.database.query<{ key_id: string }>('select key_id from api_key where account_id = $1', [
    account,
  ]);
  const { id: message } = await ledger.queued(account);
  await ledger.queued(held);
  const { endpointId: webhook } = await webhookTo(ledger.database, account, 'https://shop.example/events', [
    'message.sent',
  ]);
  const wanted = { name: 'machine', role: 'viewer', expiresAt: new Date(Date.now() + 60_000) } as const;
  const { tokenId: operatorToken } = await addToken(ledger.database, wanted, 'spec');
  const carrier = { carrierId: ledger.carrierId, sender: 'Heliograph', isSenderFixed: false };
  await storeInbound(ledger.database, carrier, [
    inboundDelivery({ source: '46701234568', destination: '46761234568' }),
  ]);
  const [inbound] = await ledger.database.query<{ id: string }>('select inbound_id as id from inbound_message');
  world = {
    ...{ account, held, empty, csv, webhook, operatorToken, message },
    keyId: key?.key_id ?? '',
    inbound: inbound?.id ?? '',
  };
});
afterAll(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

const smsctl = (args: readonly string[], environment: Record<string, string> = {}): Promise<Run> =>
  runSmsctl(args, { DATABASE_URL: ledger.url, SSH_CONNECTION: '192.0.2.7 50022 192.0.2.1 22', ...environment });
const audit = async (...args: string[]): Promise<OperatorChange[]> => {
  const run = await smsctl(['audit', ...args, '--limit', '1000', '--json']);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(run.stdout) as OperatorChange[];
};
const lastChange = async (): Promise<string> =>
  (
    await ledger.database.query<{ last: string }>(
      'select coalesce(max(change_id), 0)::text as last from operator_change',
    )
  )[0]?.last ?? '0';

describe('every change by an operator is recorded', () => {
  test('every command of smsctl is known here as one that reads or one that changes', async () => {
    const program = await smsctlProgram(new Session(() => ({}), []), TOPIC_NAMES);
    expect(actionsOf(program).sort()).toEqual(
      [...READING, ...CHANGING_ELSEWHERE, ...CHANGING.map(([name]) => name)].sort(),
    );
  });

  test.each(CHANGING)('smsctl %s leaves who, when, from where, and by which command', async (name, args) => {
    const before = await lastChange();
    // Another key first, so that there is something to rotate; every other command runs with the one of the specs.
    const environment = name === 'secrets rotate' ? { SECRETS_KEY: `${anotherSecretsKey()} ${TEST_SECRETS_KEY}` } : {};
    const run = await smsctl([...name.split(' '), ...args(world)], environment);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const changes = (await audit()).filter(({ changeId }) => BigInt(changeId) > BigInt(before));
    expect(changes.length).toBeGreaterThan(0);
    for (const change of changes) {
      expect(change).toMatchObject({
        operator: userInfo().username,
        actor: { host: hostname(), sshClient: '192.0.2.7', command: expect.stringContaining(`smsctl ${name}`) },
      });
      expect(change.before ?? change.after).not.toBeNull();
    }
  });

  test('with what was before and what is after', async () => {
    const of = async (subject: string, action: string) =>
      (await audit()).filter((change) => change.subject === subject && change.action === action);
    expect(await of('account', 'update')).toContainEqual(
      expect.objectContaining({
        accountId: world.account,
        before: expect.objectContaining({ name: expect.stringMatching(/^Account/), tariff: 'flat' }),
        after: expect.objectContaining({ name: 'Renamed', tariff: 'flat-2' }),
      }),
    );
    expect(await of('credit_limit_change', 'insert')).toContainEqual(
      expect.objectContaining({
        before: expect.objectContaining({ credit_limit: '0' }),
        after: expect.objectContaining({ credit_limit: '25' }),
      }),
    );
    expect((await of('tariff_rate', 'insert')).filter(({ subjectId }) => subjectId === 'flat-2')).toMatchObject([
      { after: { rates: 2, prices: { 46: '0.05', 49: '0.075' } } },
    ]);
    expect(await of('held messages', 'refund')).toMatchObject([{ accountId: world.held, after: { messages: 1 } }]);
    expect(await of('queued messages', 'refund')).toMatchObject([{ accountId: world.account, after: { messages: 1 } }]);
    expect(await of('route', 'delete')).toMatchObject([{ subjectId: '46/carrier-1' }]);
  });

  test('without a secret: no password, no key, no hash of one', async () => {
    const [hash] = await ledger.database.query<{ hash: string }>(
      `select encode(secret_hash, 'hex') as hash from api_key where key_id = $1`,
      [world.keyId],
    );
    const stored = JSON.stringify(await ledger.database.query('select * from operator_change'));
    expect(stored).not.toContain(SECRET);
    expect(stored).not.toContain(hash?.hash);
    expect(stored).toContain('smpp://user:***@host.example');
    const rotated = (await audit()).filter(({ actor }) => String(actor.command).includes('secrets rotate'));
    // Of the webhook and of the carrier.
    expect(rotated.map(({ after }) => after)).toMatchObject([
      { secret: '*** (changed)' },
      { password: '*** (changed)' },
    ]);
  });

  test('also when it is made with another program: by the database user and the name of the application', async () => {
    const before = await lastChange();
    await bookDeposit(ledger.database, world.held, { amount: 1_000_000n, currency: 'EUR' });
    const [row] = await ledger.database.query<{ name: string }>('select session_user::text as name');
    expect((await audit()).filter(({ changeId }) => BigInt(changeId) > BigInt(before))).toMatchObject([
      {
        subject: 'deposit',
        operator: row?.name,
        actor: { application: 'spec', databaseUser: row?.name },
        after: { amount: '1' },
      },
    ]);
  });

  test('for good: a record is neither changed nor removed', async () => {
    for (const sql of [
      'update operator_change set operator = $$me$$',
      'delete from operator_change',
      'truncate operator_change',
    ]) {
      await expect(ledger.database.query(sql)).rejects.toThrow('append-only');
    }
  });
});

test('an operator lists the changes of an account, of a time and of a person', async () => {
  const all = await audit();
  const ofAccount = await audit('--account', world.held);
  expect(ofAccount.length).toBeGreaterThan(0);
  expect(ofAccount.every(({ accountId }) => accountId === world.held)).toBe(true);
  expect(await audit('--since', '2100-01-01T00:00:00Z')).toEqual([]);
  expect(await audit('--by', 'nobody of this name')).toEqual([]);
  expect(await audit('--by', userInfo().username.slice(0, 3).toUpperCase())).toHaveLength(
    all.filter(({ operator }) => operator.includes(userInfo().username.slice(0, 3))).length,
  );
  expect((await smsctl(['audit', '--limit', '1'])).stdout).toMatch(/^\d{4}-\d\d-\d\d .*\n {2}deposit /);
  expect(await smsctl(['audit', '--account', '9999'])).toMatchObject({
    code: 1,
    stderr: 'smsctl: there is no account 9999\n',
  });
});

/** The full names of all commands that do something. */
function actionsOf(command: Command, path: readonly string[] = []): string[] {
  const own = (command as unknown as { _actionHandler: unknown })._actionHandler ? [path.join(' ')] : [];
  return [...own, ...command.commands.flatMap((one) => actionsOf(one, [...path, one.name()]))];
}
