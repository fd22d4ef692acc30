import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Database, findCarrier, openCarrier } from '#persistence';
import { recordHeartbeat } from '../../libs/persistence/database/heartbeat.js';
import { makeTraffic } from '../persistence/ledger-traffic.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { TEST_SECRET_KEYS } from '../support/secrets.js';
import { type Run, runSmsctl, SMSCTL } from './run-smsctl.js';

const ONE_LINE = /^smsctl: [^\n]+\n$/;

describe('smsctl', () => {
  let server: TestDatabase;
  let database: Database;
  let folder: string;
  const smsctl = (...args: string[]): Promise<Run> => runSmsctl(args, { DATABASE_URL: server.url });
  const json = async (...args: string[]): Promise<Record<string, unknown>> => {
    const run = await smsctl(...args, '--json');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(run.stdout) as Record<string, unknown>;
  };

  beforeAll(async () => {
    server = await createTestDatabase();
    database = await Database.open({
      url: server.url,
      poolSize: 2,
      applicationName: 'spec',
      secretKeys: TEST_SECRET_KEYS,
    });
    folder = mkdtempSync(join(tmpdir(), 'smsctl-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await database.close();
    await server.drop();
  });

  test('takes an operator from nothing to an account with money, in JSON that a script can read', async () => {
    const csv = join(folder, 'prices.csv');
    writeFileSync(csv, 'prefix,price\n49,0.075\n44,0.04\n');
    expect(await json('tariff', 'import', 'plain', '--currency', 'EUR', csv)).toMatchObject({
      name: 'plain',
      currency: 'EUR',
      isDefault: true,
      rateCount: 2,
    });
    expect(await json('tariff', 'show', 'plain')).toMatchObject({
      rates: [
        { prefix: '44', price: '0.04' },
        { prefix: '49', price: '0.075' },
      ],
    });
    const created = await json('account', 'create', '--name', 'Acme', '--currency', 'EUR', '--credit-limit', '12.5');
    expect(created).toMatchObject({
      accountId: expect.stringMatching(/^\d+$/),
      apiKey: expect.stringMatching(/^hg_[0-9a-z]{8}_[\w-]{43}$/),
      name: 'Acme',
      currency: 'EUR',
      creditLimit: '12.5',
      tariff: 'plain',
    });
    const id = String(created.accountId);
    await json('fx', 'set', 'usd', 'eur', '0.9215');
    expect(await json('deposit', id, '10.000001', 'USD', '--ref', 'r-1')).toMatchObject({
      amount: '10.000001',
      accountAmount: '9.215001',
      fxRate: '0.9215',
      accountCurrency: 'EUR',
      repeated: false,
    });
    expect(await json('deposit', id, '10.000001', 'USD', '--ref', 'r-1')).toMatchObject({ number: 1, repeated: true });
    expect(await json('adjust', id, '-0.215001', '--reason', 'rounding')).toMatchObject({ creditRemaining: '9' });
    // Who has mistaken the number of the account sees it.
    expect((await smsctl('deposit', id, '10.000001', 'USD', '--ref', 'r-1')).stdout).toBe(
      `Was booked before: deposit 1 of account ${id} (Acme): 9.215001 EUR (10.000001 USD at 0.9215). Balance: 9 EUR.\n`,
    );
    expect(await json('account', 'show', id)).toMatchObject({
      totalDeposits: '9',
      creditRemaining: '9',
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(await json('account', 'suspend', id)).toMatchObject({ status: 'suspended' });
    expect(await json('account', 'resume', id)).toMatchObject({ status: 'active' });
    expect(await json('account', 'set-credit-limit', id, '0')).toMatchObject({ creditLimit: '0' });
    expect(await json('account', 'set-rate-limit', id, '5')).toMatchObject({ rateLimitPerSecond: 5 });
    expect(await json('account', 'set-rate-limit', id, 'off')).toMatchObject({ rateLimitPerSecond: null });
    expect(await json('key', 'revoke', String(created.keyId))).toMatchObject({ accountId: id });
  });

  test('makes test keys, and tells what they sent apart', async () => {
    const { accountId: id } = await json('account', 'create', '--name', 'Developers', '--currency', 'EUR');
    const made = await json('key', 'create', String(id), '--name', 'ci', '--test');
    expect(made).toMatchObject({ accountId: id, test: true, apiKey: expect.stringMatching(/^hg_test_/) });
    expect((await smsctl('key', 'list', String(id))).stdout).toMatch(
      new RegExp(`^${String(made.keyId)} +ci +test +active`, 'm'),
    );
    const { accounts } = await json('ledger', 'verify');
    expect((await smsctl('account', 'list')).stdout.match(/Developers/g)).toHaveLength(1);
    const verified = (await smsctl('ledger', 'verify')).stdout;
    expect(verified).toContain(`of ${String(accounts)} accounts; also 1 sandbox of test keys.`);
    expect((await smsctl('message', 'list', '--test', '--account', String(id))).stdout).toContain('No messages.');
  });

  test('makes, lists, rotates and revokes keys with bounds', async () => {
    const { accountId } = await json('account', 'create', '--name', 'Keys', '--currency', 'EUR');
    const id = String(accountId);
    const options = ['--name', 'shop', '--scopes', 'read,send', '--networks', '192.0.2.7,2001:DB8::/32'];
    const made = await json('key', 'create', id, ...options, '--expires', '90d');
    expect(made).toMatchObject({
      apiKey: expect.stringMatching(/^hg_[0-9a-z]{8}_[\w-]{43}$/),
      accountId: id,
      name: 'shop',
      scopes: ['send', 'read'],
      networks: ['192.0.2.7/32', '2001:db8::/32'],
      status: 'active',
      lastUsedAt: null,
    });
    expect((Date.parse(String(made.expiresAt)) - Date.now()) / 86_400_000).toBeCloseTo(90, 1);
    const keyId = String(made.keyId);
    const list = await smsctl('key', 'list', id);
    expect(list.stdout).toMatch(
      new RegExp(
        `^${keyId} +shop +live +active +send,read +192.0.2.7/32,2001:db8::/32 +\\S+ \\S+ +\\S+ \\S+ +never$`,
        'm',
      ),
    );
    const rotated = await json('key', 'rotate', keyId, '--overlap', '0', '--expires', 'never');
    expect(rotated).toMatchObject({ name: 'shop', scopes: ['send', 'read'], expiresAt: null });
    expect(rotated.replacedKey).toMatchObject({ keyId, status: 'expired' });
    const text = (await smsctl('key', 'rotate', String(rotated.keyId), '--overlap', '7d')).stdout;
    expect(text).toMatch(new RegExp(`The old key ${String(rotated.keyId)} works until \\d{4}-\\d\\d-\\d\\d `));
    // Whoever has found a leaked key need not cut its id out.
    expect(await json('key', 'revoke', String(rotated.apiKey))).toMatchObject({
      keyId: rotated.keyId,
      status: 'revoked',
    });
    const records = (await smsctl('audit', '--limit', '5')).stdout;
    expect(records).toContain(`smsctl key revoke 'hg_${String(rotated.keyId)}_***'`.replaceAll("'", ''));
    expect(records).not.toContain(String(rotated.apiKey));
    for (const [args, code, reason] of [
      [['create', id, '--scopes', 'admin'], 2, 'Scopes are send, read, manage.'],
      [['create', id, '--networks', '10.0.0.0/33'], 1, 'not "10.0.0.0/33"'],
      [['create', id, '--expires', '2020-01-01T00:00:00Z'], 1, 'lies in the future'],
      [['rotate', keyId, '--overlap', '8d'], 2, 'It must be at most 7d.'],
      [['rotate', keyId, '--overlap', '5'], 2, 'A duration is a number with s, m, h or d'],
      [['rotate', keyId], 1, `key ${keyId} has expired`],
      [['rotate', '00000000'], 1, 'there is no key 00000000'],
    ] as const) {
      const run = await smsctl('key', ...args);
      expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
      expect(run.stderr).toContain(reason);
    }
  });

  test('prints tables for people, and no password of a carrier anywhere', async () => {
    const secret = 'p@ss:w/rd';
    const url = `smpps://user:${encodeURIComponent(secret)}@[::1]:3551`;
    const added = await smsctl('carrier', 'add', 'acme', url, '--tps', '7', '--message-id', 'hex-dec');
    const stored = openCarrier(database.secretKeys, await findCarrier(database, 'acme'));
    expect(stored).toMatchObject({ password: secret, host: '::1', port: 3551, tls: true, submitsPerSecond: 7 });
    await recordHeartbeat(database, {
      processId: 'worker-1',
      role: 'worker',
      details: { carriers: [{ name: 'acme', state: 'bound' }] },
    });
    const list = await smsctl('carrier', 'list');
    expect(list.stdout.split('\n')[1]).toMatch(
      /^acme +bound +1 of 1 +1 of 1 workers +smpps:\/\/user@\[::1\]:3551 +10 +7 +resend/,
    );
    const failed = await smsctl('carrier', 'add', 'acme', `http://user:${secret}@host`);
    const shown = [added, list, failed, await smsctl('carrier', 'list', '--json')];
    expect(JSON.stringify(shown)).not.toMatch(/p@ss|w\/rd|p%40ss/);
    expect(JSON.parse((await smsctl('carrier', 'remove', 'acme', '--json')).stdout)).toMatchObject({
      name: 'acme',
      removed: true,
    });
  });

  test.each([
    ['an unknown account', 1, ['account', 'show', '99'], 'there is no account 99'],
    ['an unknown message', 1, ['message', 'show', 'x'], 'there is no message x'],
    [
      'a file that is not there',
      1,
      ['tariff', 'import', 'a', '--currency', 'EUR', '/none.csv'],
      '/none.csv cannot be read',
    ],
    ['an unknown command', 2, ['acount', 'list'], 'Did you mean account?'],
    ['a missing argument', 2, ['account', 'show'], "missing required argument 'account'"],
  ])('says in one line what is wrong: %s', async (_what, code, args, reason) => {
    const run = await smsctl(...args);
    expect(run).toEqual({ code, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
    expect(run.stderr).toContain(reason);
  });

  test('finds the database of the running service in its DATA_DIR, from any folder and through a link', async () => {
    mkdirSync(join(folder, '.data'));
    writeFileSync(join(folder, '.data', 'runtime.json'), JSON.stringify({ databaseUrl: server.url, pid: 1 }));
    const file = join(folder, 'smsctl');
    symlinkSync(SMSCTL, file);
    expect((await runSmsctl(['fx', 'list'], { DATA_DIR: join(folder, '.data') }, { file })).code).toBe(0);
    expect((await runSmsctl(['fx', 'list'], {}, { file, cwd: folder })).code).toBe(0);
  });

  test.each([
    ['there is none', { DATA_DIR: '/nowhere' }, 'no database: set DATABASE_URL, here or in .env, or start Heliograph'],
    [
      'it does not answer',
      { DATABASE_URL: 'postgres://user:hush@127.0.0.1:1/x' },
      'cannot reach the database at postgres://user@127.0.0.1:1/x (DATABASE_URL): connect ECONNREFUSED',
    ],
    ['its password has an @', { DATABASE_URL: 'postgres://user:pass@hush@127.0.0.1:1/x' }, 'postgres://user@127.0.0.1'],
    ['its password has a /', { DATABASE_URL: 'postgres://user:hu/hush@127.0.0.1:1/x' }, 'write %40 for @, %2F for /'],
    [
      'its password is an option',
      { DATABASE_URL: 'postgres://127.0.0.1:1/x?user=me&password=hush&sslmode=disable' },
      'postgres://127.0.0.1:1/x?user=me&password=***&sslmode=disable',
    ],
    ['it is no URL', { DATABASE_URL: 'user:hush@db/x' }, 'smsctl: DATABASE_URL must be a postgres:// URL\n'],
  ])('says so when %s', async (_what, environment, reason) => {
    const run = await runSmsctl(['account', 'list'], environment);
    expect(run).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
    expect(run.stderr).toContain(reason);
    expect(run.stderr).not.toContain('hush');
  });

  test('every command explains itself with an example', async () => {
    const groups = [
      'account create',
      'key list',
      'deposit',
      'adjust',
      'fx set',
      'tariff import',
      'carrier add',
      'carrier set',
      'carrier show',
      'route add',
      'route test',
      'message show',
      'ledger verify',
      'doctor',
    ];
    const helps = await Promise.all(groups.map((group) => smsctl(...group.split(' '), '--help')));
    for (const [index, help] of helps.entries()) {
      expect(help.code).toBe(0);
      expect(help.stdout).toContain(`  $ smsctl ${groups[index]}`);
    }
    expect(await smsctl('help', 'account', 'create')).toEqual(helps[0]);
    expect(helps[0]?.stdout).toMatch(/--name <name> .*\(required\)/);
    expect(helps[0]?.stdout).not.toMatch(/--tariff <name> .*\(required\)/);
  });

  test('follows a message, verifies the ledger, and fails on drift', async () => {
    const own = await createTestDatabase();
    const other = await Database.open({
      url: own.url,
      poolSize: 2,
      applicationName: 'spec',
      secretKeys: TEST_SECRET_KEYS,
    });
    const run = (...args: string[]) => runSmsctl(args, { DATABASE_URL: own.url });
    try {
      const ids = await makeTraffic(other);
      const shown = JSON.parse((await run('message', 'show', ids.partlyFailed, '--json')).stdout);
      expect(shown).toMatchObject({
        state: 'failed',
        price: '0.15',
        amount: '0.05',
        segmentCount: 3,
        segments: [{ state: 'accepted', carrier: 'acme' }, { state: 'refused' }],
        transitions: [
          { from: 'queued', to: 'sending', actor: 'worker' },
          { from: 'sending', to: 'failed' },
        ],
      });
      expect(shown).not.toHaveProperty('message');
      expect((await run('message', 'show', ids.delivered, '--with-text')).stdout).toContain('xxxxxxxxxxxxxxxxxxxx');

      const clean = await run('ledger', 'verify');
      expect(clean).toMatchObject({ code: 0, stderr: '' });
      expect(clean.stdout).toContain('The ledger is clean: 12 messages');
      const reader = `${own.url}?options=-c%20default_transaction_read_only%3Don`;
      expect(await runSmsctl(['ledger', 'verify'], { DATABASE_URL: reader })).toEqual(clean);
      await other.query('update account_balance set deposited = deposited + 1');
      const drifted = await run('ledger', 'verify', '--json');
      expect(drifted.code).toBe(1);
      expect(JSON.parse(drifted.stdout)).toMatchObject({ isClean: false });
      expect((await run('ledger', 'verify')).stdout).toContain('The ledger is NOT clean');
    } finally {
      await other.close();
      await own.drop();
    }
  });
});
