import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { addToken, sandboxOf } from '#persistence';
import { ENDPOINTS } from '../../apps/gateway/operator/api/endpoints.js';
import { smsctlProgram, TOPIC_NAMES } from '../../apps/smsctl/program.js';
import { REQUESTS } from '../../apps/smsctl/requests.js';
import { Session } from '../../apps/smsctl/session.js';
import { type Run, runSmsctl } from '../smsctl/run-smsctl.js';
import { TestGateway } from '../support/gateway.js';
import { type OperatorApi, operatorApi } from '../support/operator-api.js';
import { webhookTo } from '../support/webhooks.js';
import { documentedAnswers } from './documented-answers.js';

/** Commands without an endpoint, and why. */
const OF_THE_MACHINE: Readonly<Record<string, string>> = {
  'secrets.key': 'it makes a key, and writes it into a file of the machine that the processes read it from',
};

const commandsOf = (command: Command, name: string): string[] => [
  ...(Reflect.get(command, '_actionHandler') ? [name] : []),
  ...command.commands.flatMap((one) => commandsOf(one, name === '' ? one.name() : `${name}.${one.name()}`)),
];

test('every command of smsctl has an endpoint of its name, but those that work on the machine itself', async () => {
  const program = await smsctlProgram(new Session(() => ({}), []), TOPIC_NAMES);
  const useCases = new Set<string>(ENDPOINTS.map(({ useCase }) => useCase));
  const without = commandsOf(program, '').filter((name) => !useCases.has(name));
  expect(without).toEqual(Object.keys(OF_THE_MACHINE));
});

test('the request of each command is that of its endpoint', () => {
  const places = Object.fromEntries(ENDPOINTS.map(({ useCase, method, path }) => [useCase, `${method} ${path}`]));
  for (const [name, { method, path }] of Object.entries(REQUESTS))
    expect([name, `${method} ${path}`]).toEqual([name, places[name]]);
});

describe('smsctl of another machine', () => {
  let gateway: TestGateway;
  let api: OperatorApi;
  let remote: (...args: string[]) => Promise<Run>;
  let local: (...args: string[]) => Promise<Run>;
  beforeAll(async () => {
    gateway = await TestGateway.start();
    api = await documentedAnswers(operatorApi(gateway));
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { token } = await addToken(gateway.database, { name: 'far', role: 'admin', expiresAt }, 'spec');
    remote = (...args) =>
      runSmsctl(['--url', `http://127.0.0.1:${gateway.operatorPort}`, ...args], { SMSCTL_TOKEN: token });
    local = (...args) => runSmsctl(args, { DATABASE_URL: gateway.databaseUrl });
  });
  afterAll(async () => {
    api.close();
    await gateway.close();
  });

  test('prints what smsctl beside the database prints, for people and as JSON', async () => {
    const opened = await remote('account', 'create', '--name', 'Far', '--currency', 'EUR', '--json');
    expect(opened).toMatchObject({ code: 0, stderr: '' });
    const { accountId } = JSON.parse(opened.stdout) as { accountId: string };
    expect((await remote('deposit', accountId, '10', 'EUR', '--ref', 'r1')).stdout).toContain('Balance: 10 EUR.');
    await remote('carrier', 'add', 'acme', 'smpp://user:secret@127.0.0.1:2775', '--paused', '--tps', '5');
    await remote('route', 'add', '*', 'acme');
    await remote('key', 'create', accountId, '--name', 'shop', '--scopes', 'send');
    for (const command of [
      ['account', 'list'],
      ['account', 'show', accountId],
      ['account', 'statement', accountId],
      ['statement', accountId, '--month', '2025-01', '--format', 'csv'],
      ['deposit', 'list', accountId],
      ['key', 'list', accountId],
      ['carrier', 'show', 'acme'],
      ['route', 'list'],
      ['tariff', 'list'],
      ['message', 'list'],
      ['webhook', 'list'],
      ['hold', 'show'],
      ['retention', 'show'],
      ['fx', 'list'],
    ]) {
      const [here, there] = [await local(...command, '--json'), await remote(...command, '--json')];
      expect([command, there]).toEqual([command, here]);
      expect(await remote(...command)).toEqual(await local(...command));
    }
  }, 170_000);

  test('does without options what needs none', async () => {
    const opened = await remote('account', 'create', '--name', 'Plain', '--currency', 'EUR', '--json');
    const { accountId } = JSON.parse(opened.stdout) as { accountId: string };
    const made = await remote('key', 'create', accountId, '--json');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { keyId } = JSON.parse(made.stdout) as { keyId: string };
    for (const change of ['rotate', 'revoke']) {
      expect(await remote('key', change, keyId)).toMatchObject({ code: 0, stderr: '' });
    }
    for (const change of ['suspend', 'resume']) {
      expect(await remote('account', change, accountId)).toMatchObject({ code: 0, stderr: '' });
    }
  }, 170_000);

  test('people, tokens and the audit log are managed from another machine', async () => {
    const added = await remote('operator', 'add', 'alice', '--role', 'finance', '--json');
    expect([added.stderr, JSON.parse(added.stdout)]).toMatchObject(['', { name: 'alice', role: 'finance' }]);
    expect((await remote('operator', 'role', 'alice', 'support')).stdout).toContain('alice is support');
    const reset = JSON.parse((await remote('operator', 'reset', 'alice', '--json')).stdout) as { password: string };
    expect(reset.password).not.toBe((JSON.parse(added.stdout) as { password: string }).password);
    const made = await remote('operator', 'token', 'add', 'books', '--role', 'finance', '--expires', '30m', '--json');
    const { tokenId, token, madeBy } = JSON.parse(made.stdout) as Record<'tokenId' | 'token' | 'madeBy', string>;
    expect(madeBy).toMatch(/^far \(token /);
    expect((await remote('operator', 'disable', 'alice')).stdout).toContain('alice is disabled');
    expect((await remote('operator', 'enable', 'alice')).stdout).toContain('alice may sign in again');
    for (const command of [
      ['operator', 'list'],
      ['operator', 'token', 'list'],
    ]) {
      // The token that asks is in use, so its time may differ.
      const shown = ({ stdout }: Run) => stdout.replaceAll(/"lastUsedAt": .*/g, '');
      expect(shown(await remote(...command, '--json'))).toBe(shown(await local(...command, '--json')));
    }
    // Whoever has found a leaked token need not cut its id out.
    const revoked = await local('operator', 'token', 'revoke', token, '--json');
    expect(JSON.parse(revoked.stdout)).toMatchObject({ tokenId, status: 'revoked' });
    const records = (await local('audit', '--limit', '1')).stdout;
    expect(records).toContain(`smsctl operator token revoke hgo_${tokenId}_***`);
    expect(records).not.toContain(token);
    const removed = await remote('operator', 'remove', 'alice', '--json');
    expect([removed.code, JSON.parse(removed.stdout)]).toEqual([0, { name: 'alice', removed: true }]);
    expect((await remote('operator', 'reset', 'alice')).stderr).toBe('smsctl: there is no operator alice\n');
    const changes = JSON.parse((await remote('audit', '--by', 'far (token', '--json')).stdout) as { subject: string }[];
    expect(changes.filter(({ subject }) => subject === 'operator')).toHaveLength(6);
  }, 170_000);

  test('the audit log is a CSV file: of the API, and of smsctl from here and from another machine', async () => {
    await api.post('/api/accounts', { name: '=1+1, "Ltd"', currency: 'EUR' });
    const { headers, text } = await api.get('/api/audit-log/export?by=spec');
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(headers['content-disposition']).toBe('attachment; filename="audit-log.csv"');
    const [head, ...lines] = text.trimEnd().split('\r\n');
    expect(head).toBe('at,operator,from,command,accountId,subject,subjectId,action,before,after');
    expect(lines).toHaveLength((await api.get('/api/audit-log?by=spec')).as<{ data: unknown[] }>().data.length);
    expect(text).toContain(',127.0.0.1,POST /api/accounts,');
    expect(text).toContain('=1+1, \\""Ltd\\""');
    const run = ['audit', '--by', 'spec', '--csv'];
    for (const ran of [await local(...run), await remote(...run)]) {
      expect(ran).toEqual({ code: 0, stdout: text, stderr: '' });
    }
    expect((await api.get('/api/audit-log/export?account=99999')).json).toMatchObject({ code: 'not_found' });
  });

  test('fails with the same words, and with one line where a command works on the machine itself', async () => {
    const missing = ['account', 'show', '9999'];
    expect(await remote(...missing)).toEqual(await local(...missing));
    const letters = await remote('number', 'assign', 'Acme', '1001');
    expect(letters.stderr).toBe('smsctl: "Acme" is no number that handsets can write to\n');
    expect(await local('number', 'assign', 'Acme', '1001')).toEqual(letters);
    const two = await remote('guard', 'set', 'all', '--recipient-hour', '99999999', '--range-hour', '99999998');
    expect(two.stderr).toBe(
      'smsctl: recipientHourMax must be <= 10000000, or null; rangeHourMax must be <= 10000000, or null\n',
    );
    const key = await remote('secrets', 'key');
    expect(key).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^smsctl: `smsctl secrets key` works on/),
    });
    const clear = await runSmsctl(['--url', 'http://sms.example.com:3001', 'fx', 'list'], { SMSCTL_TOKEN: 'x' });
    expect(clear.stderr).toContain('a token travels over https only');
    // Nobody listens there, and a token for this machine's own address in IPv6 is not held back.
    const own = await runSmsctl(['--url', 'http://[::1]:1', 'fx', 'list'], { SMSCTL_TOKEN: 'x' });
    expect(own.stderr).toContain('cannot reach http://[::1]:1');
    const whole = await runSmsctl(['--url', gateway.url, 'fx', 'list'], { SMSCTL_TOKEN: '{\n "token": "hgo_secret"' });
    expect(whole.stderr).toBe('smsctl: the token has characters that no token has: give the token alone, hgo_...\n');
    const password = await runSmsctl(['--url', 'http://me:secret@127.0.0.1:3001', 'fx', 'list'], { SMSCTL_TOKEN: 'x' });
    expect(password.stderr).toBe('smsctl: the address of --url has a user or a password: leave them out\n');
    const nobody = await runSmsctl(['--url', `http://127.0.0.1:${gateway.operatorPort}`, 'fx', 'list'], {});
    expect(nobody.stderr).toContain('a token is missing');
    const unknown = { SMSCTL_TOKEN: 'hgo_x' };
    const stranger = await runSmsctl(['--url', `http://127.0.0.1:${gateway.operatorPort}`, 'fx', 'list'], unknown);
    expect(stranger.stderr).toContain('this token is not known, is over, or was revoked');
    const owners = await runSmsctl(['--url', gateway.url, 'fx', 'list'], unknown);
    expect(owners.stderr).toContain("is not of the operators' API");
    const parent = await runSmsctl(['--url', gateway.url, 'carrier', 'show', '..'], unknown);
    expect(parent.stderr).toBe('smsctl: there is nothing with the name ..\n');
    const origin = `https://127.0.0.1:${gateway.operatorPort}`;
    const plain = await runSmsctl(['--url', origin, 'fx', 'list'], unknown);
    expect(plain.stderr).toMatch(
      new RegExp(
        `^smsctl: cannot reach ${origin}: no TLS connection with it is possible \\(\\w+\\): is it http\\?\\n$`,
      ),
    );
  });

  test('what is sent again to a webhook of test keys is one thing, and recorded with their account', async () => {
    const opened = await api.post('/api/accounts', { name: 'Testing', currency: 'EUR' });
    const { accountId } = opened.as<{ accountId: string }>();
    await api.post(`/api/accounts/${accountId}/keys`, { test: true });
    const { database } = gateway;
    const { endpointId } = await webhookTo(database, sandboxOf(accountId), 'https://example.com/', ['message.sent']);
    const [from, until] = [new Date(Date.now() - 60_000).toISOString(), new Date().toISOString()];
    const replayed = await api.post(`/api/webhooks/${endpointId}/replay`, { from, until });
    expect([replayed.status, replayed.json]).toMatchObject([202, { accountId, test: true }]);
    expect((await api.get(`/api/audit-log?account=${accountId}&subject=webhook`)).json).toMatchObject({
      data: [{ subjectId: endpointId, action: 'replay', accountId, after: { from, until } }],
    });
    for (const wanted of [{ from: until, until: from }, { eventId: 'evt_1_0', from, until }, { from }]) {
      const refused = await api.post(`/api/webhooks/${endpointId}/replay`, wanted);
      expect([wanted, refused.status, refused.json]).toMatchObject([wanted, 409, { code: 'not_possible' }]);
    }
    expect(await database.query('select from webhook_replay where endpoint_id = $1', [endpointId])).toHaveLength(1);
  });

  test('a list of a carrier whose name is misspelled is refused, and not empty', async () => {
    for (const list of ['messages', 'inbound', 'receipts/unmatched']) {
      const reply = await api.get(`/api/${list}?carrier=acne`);
      expect([list, reply.status, reply.json]).toMatchObject([list, 404, { detail: 'There is no carrier acne.' }]);
    }
  });

  test('keys, price lists, webhooks, retention and secrets are answered as documented', async () => {
    const csv = 'prefix,price\n46,0.01\n';
    const preview = await api.post('/api/tariffs/far/preview', { currency: 'EUR', csv });
    expect(preview.json).toMatchObject({ added: 1, dryRun: true });
    expect((await api.get('/api/tariffs/far')).status).toBe(404);
    expect((await api.put('/api/tariffs/far', { currency: 'EUR', csv })).json).toMatchObject({ rateCount: 1 });
    expect((await api.get('/api/tariffs/far')).json).toMatchObject({ rates: [{ prefix: '46', price: '0.01' }] });
    expect((await api.patch('/api/retention', { textDays: 30 })).json).toMatchObject({ textDays: 30, rowDays: null });
    const opened = await api.post('/api/accounts', { name: 'Kept', currency: 'EUR' });
    const { accountId } = opened.as<{ accountId: string }>();
    const ofOne = `/api/accounts/${accountId}/retention`;
    expect((await api.patch(ofOne, { numberDays: 90 })).json).toMatchObject({ textDays: 30, numberDays: 90 });
    expect((await api.get(ofOne)).json).toMatchObject({ operators: { textDays: null, numberDays: 90 } });
    const redacted = await api.post(`/api/accounts/${accountId}/redactions`, { number: '+46701234500' });
    expect(redacted.json).toEqual({ sent: 0, later: 0, received: 0, isOver: true });
    expect((await api.post('/api/routes/preview', { routes: [] })).json).toMatchObject({ routes: [], removed: 1 });
    expect((await api.get('/api/routes')).json).toHaveLength(1);
    for (const path of ['/api/webhooks', '/api/secrets', '/api/queues', '/api/doctor', '/api/carriers', '/api/hold']) {
      expect([path, (await api.get(path)).status]).toEqual([path, 200]);
    }
    expect((await api.post('/api/ledger/verify')).json).toMatchObject({ isClean: true });
  });

  test.each([
    ['routes', { routes: [] }, { routes: [{ prefix: '*', carrier: 'acme', cost: '0', currency: 'EUR' }] }],
    ['tariffs/far', { currency: 'EUR', csv: 'prefix,price\n46,9\n' }, { currency: 'EUR', csv: 'prefix,price\n46,8\n' }],
  ])('%s: a change since the preview is not replaced unseen', async (what, wanted, others) => {
    const path = `/api/${what}`;
    const preview = async () => (await api.post(`${path}/preview`, wanted)).as<{ revision: string }>();
    const { revision } = await preview();
    expect((await api.put(path, others)).status).toBe(200);
    const outdated = await api.put(path, { ...wanted, revision });
    expect(outdated).toMatchObject({ status: 409, json: { code: 'not_possible' } });
    const again = await preview();
    expect((await api.put(path, { ...wanted, revision: again.revision })).json).toMatchObject({ added: 0 });
  });

  test('what a change of a route does not name stays', async () => {
    await api.post('/api/carriers', {
      name: 'backup',
      url: 'smpp://user@127.0.0.1:1',
      password: 'secret',
      paused: true,
    });
    const place = { prefix: '*', carrier: 'backup' };
    await api.post('/api/routes', { ...place, rank: 2, weight: 90 });
    const [cost, currency] = ['0.004', 'EUR'];
    const changed = await api.patch('/api/routes', { ...place, cost, currency });
    expect(changed.json).toMatchObject({ routes: [{ rank: 2, weight: 90, cost, currency }] });
    expect(await remote('route', 'set', '*', 'backup', '--weight', '80')).toMatchObject({ code: 0 });
    expect((await api.get('/api/routes')).json).toMatchObject([{ rank: 2, weight: 80, cost, currency }]);
  });

  test('an empty prefix names no routes to change, but a list of all routes may hold one, as it is read', async () => {
    const errors = [{ field: 'prefix', code: 'invalid_request' }];
    const refusal = { status: 400, json: { code: 'invalid_request', errors } };
    expect(await api.delete('/api/routes?prefix=')).toMatchObject(refusal);
    expect(await api.post('/api/routes', { prefix: '', carrier: 'acme' })).toMatchObject(refusal);
    expect(await api.patch('/api/routes', { prefix: '', carrier: 'backup', weight: 1 })).toMatchObject(refusal);
    const routes = [{ prefix: '', carrier: 'backup' }];
    expect((await api.put('/api/routes', { routes })).json).toMatchObject({ added: 0, removed: 0 });
  });
});
