import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listOperatorChanges, OPERATOR_ROLES } from '#persistence';
import { HttpClient } from '../support/http-client.js';
import { operatorApi } from '../support/operator-api.js';
import { TestPeople } from './operator-people.js';

let people: TestPeople;
let http: HttpClient;
const tokens = new Map<string, ReturnType<typeof operatorApi>>();
beforeAll(async () => {
  people = await TestPeople.start();
  http = new HttpClient(people.gateway.operatorPort);
  for (const role of OPERATOR_ROLES) tokens.set(role, operatorApi(people.gateway, role));
});
afterAll(async () => {
  http.close();
  for (const api of tokens.values()) api.close();
  await people.close();
});

interface Operation {
  readonly operationId: string;
  readonly 'x-roles': readonly string[];
  readonly 'x-personal': boolean;
}

const refused = (status: number, code: string) => ({ status, json: expect.objectContaining({ code }) });
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

describe('roles', () => {
  test.each(OPERATOR_ROLES)('%s is refused everything that the table gives to others only', async (role) => {
    const api = tokens.get(role);
    const { paths } = (await api?.get('/api/openapi.json'))?.as<{
      paths: Record<string, Record<string, Operation>>;
    }>() ?? { paths: {} };
    const refusals = await Promise.all(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, operation]) => !operation['x-roles'].includes(role))
          .map(async ([method, { operationId }]) => {
            const reply = await api?.request(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x'), {
              ...(method !== 'get' && { json: {} }),
            });
            return [operationId, reply?.status, reply?.as<{ code?: string }>().code];
          }),
      ),
    );
    expect(refusals.length > 0).toBe(role !== 'admin');
    for (const refusal of refusals) expect(refusal).toEqual([refusal[0], 403, 'role_missing']);
  });
});

describe('operators', () => {
  test('the last admin stays one: not disabled, not removed, no other role', async () => {
    const { name, browser } = await people.signedIn('admin');
    const last = [
      await browser.api.post(`/api/operators/${name}/disable`),
      await browser.api.delete(`/api/operators/${name}`),
      await browser.api.put(`/api/operators/${name}/role`, { role: 'viewer' }),
    ];
    for (const reply of last) expect(reply).toMatchObject(refused(409, 'not_possible'));
    expect((await browser.api.get('/api/me')).json).toMatchObject({ role: 'admin' });
  });

  test('what an admin changes is recorded under the name of the admin, without a secret', async () => {
    const { name, browser } = await people.signedIn('admin');
    const added = await browser.api.post('/api/operators', { name: 'dora', role: 'finance' });
    const { password } = added.as<{ password: string }>();
    await browser.api.put('/api/operators/dora/role', { role: 'support' });
    await browser.api.post('/api/operators/dora/reset');
    await browser.api.post('/api/operators/dora/disable');
    await browser.api.delete('/api/operators/dora');
    const changes = await listOperatorChanges(people.gateway.database, { by: name }, 5);
    expect(changes.map(({ actor, action, subjectId }) => [actor.command, action, subjectId])).toEqual([
      ['DELETE /api/operators/:name', 'delete', 'dora'],
      ['POST /api/operators/:name/disable', 'update', 'dora'],
      ['POST /api/operators/:name/reset', 'update', 'dora'],
      ['PUT /api/operators/:name/role', 'update', 'dora'],
      ['POST /api/operators', 'insert', 'dora'],
    ]);
    expect(changes[3]).toMatchObject({ before: { role: 'finance' }, after: { role: 'support' } });
    expect(changes.every(({ actor }) => actor.apiClient === '127.0.0.1')).toBe(true);
    const stored = JSON.stringify(await people.gateway.database.query('select * from operator_change'));
    expect(stored).not.toContain(password);
    expect(stored).not.toContain('argon2');
  });

  test('who has lost the device and the password starts anew after a reset', async () => {
    const admin = await people.signedIn('admin');
    const person = await people.signedIn('support');
    await people.enrol(person);
    const reset = await admin.browser.api.post(`/api/operators/${person.name}/reset`);
    expect((await person.browser.api.get('/api/me')).status).toBe(401);
    expect((await person.browser.signIn(person.name, person.password)).status).toBe(401);
    const { password } = reset.as<{ password: string }>();
    expect((await person.browser.signIn(person.name, password)).status).toBe(204);
    expect((await person.browser.api.get('/api/me')).json).toMatchObject({
      mustChangePassword: true,
      hasSecondFactor: false,
      recoveryCodesLeft: 0,
    });
  });

  test('nobody of a name is 409, and a wrong name is 400', async () => {
    const admin = tokens.get('admin');
    expect(await admin?.post('/api/operators/nobody/reset')).toMatchObject(refused(409, 'not_possible'));
    expect(await admin?.post('/api/operators', { name: 'Not a name', role: 'viewer' })).toMatchObject(
      refused(400, 'invalid_request'),
    );
    expect((await admin?.post('/api/operators', { name: 'x', role: 'king' }))?.json).toMatchObject({
      errors: [{ field: 'role' }],
    });
  });
});

describe('a token for a program', () => {
  const withToken = (token: string, path: string, method = 'GET') =>
    http.request(method, path, { headers: { Authorization: `Bearer ${token}` } });
  const made = async (role: string) =>
    (await tokens.get('admin')?.post('/api/tokens', { name: 'deposits', role, expiresAt: inDays(1) }))?.as<{
      tokenId: string;
      token: string;
    }>() ?? { tokenId: '', token: '' };

  test('acts with its role, until it is revoked or expires; the database has its hash only', async () => {
    const admin = await people.signedIn('admin');
    const body = { name: 'deposits', role: 'finance', expiresAt: inDays(90) };
    const { tokenId, token } = (await admin.browser.api.post('/api/tokens', body)).as<{
      tokenId: string;
      token: string;
    }>();
    expect((await withToken(token, '/api/me')).json).toMatchObject({
      name: `deposits (token ${tokenId})`,
      role: 'finance',
      isToken: true,
    });
    expect((await withToken(token, '/metrics')).status).toBe(200);
    expect(await withToken(`${token.slice(0, -1)}_`, '/api/me')).toMatchObject(refused(401, 'not_signed_in'));
    const listed = await admin.browser.api.get('/api/tokens');
    expect(listed.json).toMatchObject({ data: [{ tokenId, madeBy: admin.name, status: 'active' }, {}, {}, {}, {}] });
    expect(listed.text).not.toContain(token);
    expect(JSON.stringify(await people.gateway.database.query('select * from operator_token'))).not.toContain(
      token.slice(13),
    );
    expect((await admin.browser.api.delete(`/api/tokens/${tokenId}`)).json).toMatchObject({ status: 'revoked' });
    expect((await admin.browser.api.delete('/api/tokens/00000000')).json).toMatchObject({ code: 'not_found' });
    expect((await withToken(token, '/api/me')).status).toBe(401);
  });

  test('is worth nothing after its expiry', async () => {
    const { tokenId, token } = await made('viewer');
    expect((await withToken(token, '/api/me')).status).toBe(200);
    await people.gateway.database.query('update operator_token set expires_at = now() where token_id = $1', [tokenId]);
    expect((await withToken(token, '/api/me')).status).toBe(401);
  });

  test('cannot do what is about a person, nor make a token that outlives it', async () => {
    const { token } = await made('admin');
    expect(await withToken(token, '/api/me/sessions')).toMatchObject(refused(403, 'person_required'));
    const { may } = (await withToken(token, '/api/me')).as<{ may: string[] }>();
    expect(may).toContain('operator.token.add');
    expect(may).not.toContain('me.sessions.list');
    const headers = { Authorization: `Bearer ${token}` };
    const json = { name: 'longer', role: 'admin', expiresAt: inDays(2) };
    expect(await http.request('POST', '/api/tokens', { json, headers })).toMatchObject(refused(409, 'not_possible'));
  });

  test('has a name of up to 100 characters, of which an emoji is one', async () => {
    const { browser } = await people.signedIn('admin');
    const named = (name: string) => browser.api.post('/api/tokens', { name, role: 'viewer', expiresAt: inDays(1) });
    expect((await named('😀'.repeat(100))).status).toBe(201);
    expect((await named('😀'.repeat(101))).status).toBe(400);
  });

  test('has an expiry within a year', async () => {
    const { browser } = await people.signedIn('admin');
    const wanted = (expiresAt: string) => browser.api.post('/api/tokens', { name: 'x', role: 'viewer', expiresAt });
    for (const at of [inDays(-1), inDays(400)]) expect((await wanted(at)).status).toBe(409);
    expect((await wanted('tomorrow')).status).toBe(400);
  });
});
