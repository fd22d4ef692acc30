import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { disableOperator, setOperatorRole } from '#persistence';
import { codeOf, TestPeople, type TestPerson } from './operator-people.js';

let people: TestPeople;
beforeAll(async () => {
  people = await TestPeople.start();
});
afterAll(() => people.close());

const refused = (status: number, code: string) => ({ status, json: expect.objectContaining({ code }) });
const seen = async ({ browser }: TestPerson) => (await browser.api.get('/api/me')).status;

describe('a session', () => {
  test('ends after half an hour without a request, and each request of the person keeps it', async () => {
    const person = await people.signedIn('viewer');
    for (let n = 0; n < 3; n += 1) {
      await people.letPass(person.name, '29 minutes');
      expect(await seen(person)).toBe(200);
    }
    await people.letPass(person.name, '31 minutes');
    expect(await person.browser.api.get('/api/me')).toMatchObject(refused(401, 'not_signed_in'));
  });

  test('is not kept by what a page asks by itself', async () => {
    const person = await people.signedIn('viewer');
    await people.letPass(person.name, '29 minutes');
    const poll = () => person.browser.api.request('GET', '/api/me', { headers: { 'X-Background': '1' } });
    expect((await poll()).status).toBe(200);
    await people.letPass(person.name, '2 minutes');
    expect((await poll()).status).toBe(401);
  });

  test('is judged by itself when many pages ask at once: one that was ended is refused at once', async () => {
    const all = [await people.signedIn('viewer'), await people.signedIn('support'), await people.signedIn('viewer')];
    const poll = ({ browser }: TestPerson) =>
      browser.api.request('GET', '/api/me', { headers: { 'X-Background': '1' } });
    expect((await Promise.all(all.map(poll))).map(({ status }) => status)).toEqual([200, 200, 200]);
    await disableOperator(people.gateway.database, all[1]?.name ?? '');
    const replies = await Promise.all([...all, ...all].map(poll));
    expect(replies.map(({ status }) => status)).toEqual([200, 401, 200, 200, 401, 200]);
    const names = replies.filter(({ status }) => status === 200).map((reply) => reply.as<{ name: string }>().name);
    expect(names).toEqual([all[0]?.name, all[2]?.name, all[0]?.name, all[2]?.name]);
  });

  test('ends after 12 hours in any case', async () => {
    const person = await people.signedIn('viewer');
    for (let n = 0; n < 26; n += 1) {
      await people.letPass(person.name, '28 minutes');
      expect([n, await seen(person)]).toEqual([n, n < 25 ? 200 : 401]);
    }
  });

  test('ends with the sign-out: the cookie is worth nothing any more', async () => {
    const person = await people.signedIn('viewer');
    const { cookie } = person.browser;
    expect((await person.browser.api.delete('/api/session')).status).toBe(204);
    person.browser.cookie = cookie;
    expect(await seen(person)).toBe(401);
  });

  test('is listed with its address and browser, and ended from another one', async () => {
    const person = await people.signedIn('viewer');
    const elsewhere = { ...person, browser: people.browser() };
    await elsewhere.browser.signIn(person.name, person.password);
    const { data } = (await person.browser.api.get('/api/me/sessions')).as<{
      data: { sessionId: string; isCurrent: boolean; address: string }[];
    }>();
    expect(data.map(({ isCurrent, address }) => [isCurrent, address])).toEqual([
      [false, '127.0.0.1'],
      [true, '127.0.0.1'],
    ]);
    const other = await person.browser.api.delete(`/api/me/sessions/${data[0]?.sessionId}`);
    expect(other.json).toEqual({ ended: 1 });
    expect([await seen(person), await seen(elsewhere)]).toEqual([200, 401]);
    expect((await person.browser.api.delete(`/api/me/sessions/${'-'.repeat(36)}`)).status).toBe(400);
  });

  test('of a person who chooses another password: all other ones end', async () => {
    const person = await people.signedIn('viewer');
    const elsewhere = { ...person, browser: people.browser() };
    await elsewhere.browser.signIn(person.name, person.password);
    const change = { password: person.password, newPassword: 'and now for another one' };
    await person.browser.api.put('/api/me/password', change);
    expect([await seen(person), await seen(elsewhere)]).toEqual([200, 401]);
  });

  test('has the role that the person has now, and ends when the person is disabled', async () => {
    const person = await people.signedIn('admin');
    await people.newcomer('admin');
    await setOperatorRole(people.gateway.database, person.name, 'viewer');
    expect(await person.browser.api.get('/api/operators')).toMatchObject(refused(403, 'role_missing'));
    await disableOperator(people.gateway.database, person.name);
    expect(await seen(person)).toBe(401);
    expect((await person.browser.signIn(person.name, person.password)).status).toBe(401);
  });

  test('opens the queues and the metrics as well', async () => {
    const person = await people.signedIn('viewer');
    for (const path of ['/queues', '/metrics', '/carriers']) {
      expect([path, (await person.browser.api.get(path)).status]).toEqual([path, 200]);
    }
  });

  test('is in the database as a hash only', async () => {
    const person = await people.signedIn('viewer');
    const stored = JSON.stringify(await people.gateway.database.query('select * from operator_session'));
    expect(stored).not.toContain(person.browser.cookie?.split('=')[1]);
  });
});

describe('a change with the cookie of a session', () => {
  test.each([
    ['from another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['from another host of this site', { 'Sec-Fetch-Site': 'same-site' }],
    ['from another origin', { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' }],
  ])('%s is refused', async (_from, headers: Record<string, string>) => {
    const person = await people.signedIn('viewer');
    const reply = await person.browser.api.request('DELETE', '/api/session', { headers });
    expect(reply).toMatchObject(refused(403, 'cross_site'));
    expect(await seen(person)).toBe(200);
  });

  test('is refused as a form, which any site could send', async () => {
    const person = await people.signedIn('admin');
    const reply = await person.browser.api.request('POST', '/api/operators', {
      body: 'name=mallory&role=admin',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect(reply).toMatchObject(refused(415, 'unsupported_media_type'));
  });
});

describe('what changes roles or moves money', () => {
  const add = ({ browser }: TestPerson, name: string) => browser.api.post('/api/operators', { name, role: 'viewer' });

  test('asks a person for the password again after five minutes', async () => {
    const person = await people.signedIn('admin');
    expect((await add(person, 'first')).status).toBe(201);
    await people.letPass(person.name, '5 minutes');
    const reply = await add(person, 'second');
    expect(reply).toMatchObject(refused(403, 'confirmation_required'));
    expect(reply.json).toMatchObject({ by: 'password' });
    const confirm = (password: string) => person.browser.api.post('/api/session/confirm', { password });
    expect(await confirm('a wrong one, no doubt')).toMatchObject(refused(401, 'sign_in_failed'));
    expect((await add(person, 'second')).status).toBe(403);
    expect((await confirm(person.password)).status).toBe(200);
    expect((await add(person, 'second')).status).toBe(201);
  });

  test('asks a person with a second factor for a code that was not used before', async () => {
    const person = await people.signedIn('admin');
    const { secret, used } = await people.enrol(person);
    await person.browser.api.get('/api/me');
    await people.gateway.database.query(
      `update operator_session set confirmed_at = now() - interval '6 minutes'
        where operator_id = (select operator_id from operator where name = $1)`,
      [person.name],
    );
    expect((await add(person, 'third')).json).toMatchObject({ code: 'confirmation_required', by: 'code' });
    const confirm = (body: object) => person.browser.api.post('/api/session/confirm', body);
    expect(await confirm({ password: person.password })).toMatchObject(refused(400, 'invalid_request'));
    expect(await confirm({ code: used })).toMatchObject(refused(401, 'sign_in_failed'));
    expect((await confirm({ code: await codeOf(secret, 1) })).status).toBe(200);
    expect((await add(person, 'third')).status).toBe(201);
  });
});
