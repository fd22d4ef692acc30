import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OPERATOR_PASSWORD, TestGateway } from '../support/gateway.js';
import { HttpClient } from '../support/http-client.js';
import { OperatorBrowser, operatorApi } from '../support/operator-api.js';
import { anotherSecretsKey } from '../support/secrets.js';
import { codeOf, TestPeople } from './operator-people.js';

let people: TestPeople;
let http: HttpClient;
beforeAll(async () => {
  people = await TestPeople.start();
  http = new HttpClient(people.gateway.operatorPort);
});
afterAll(async () => {
  http.close();
  await people.close();
});

const refused = (status: number, code: string) => ({ status, json: expect.objectContaining({ code }) });
/** From an address of the outside, through the proxy. */
const signInFrom = (address: string, name: string, password: string) =>
  http.request('POST', '/api/session', {
    json: { name, password },
    headers: { 'X-Forwarded-For': address, Host: 'localhost' },
  });

describe('OPERATOR_PASSWORD', () => {
  test('is the password of admin as long as there is no admin, who may choose another one', async () => {
    const { api } = people.browser();
    const admin = people.browser();
    expect(await admin.signIn('admin', 'something else entirely')).toMatchObject(refused(401, 'sign_in_failed'));
    expect((await admin.signIn('Admin ', OPERATOR_PASSWORD)).status).toBe(204);
    expect((await admin.api.get('/api/me')).json).toMatchObject({ name: 'admin', role: 'admin', isToken: false });
    const change = { password: OPERATOR_PASSWORD, newPassword: 'another one, of my own' };
    expect((await admin.api.put('/api/me/password', change)).status).toBe(204);
    expect(await api.post('/api/session', { name: 'admin', password: OPERATOR_PASSWORD })).toMatchObject(
      refused(401, 'sign_in_failed'),
    );
    const headers = { Authorization: `Basic ${Buffer.from(`any:${OPERATOR_PASSWORD}`).toString('base64')}` };
    expect((await http.request('GET', '/metrics', { headers })).status).toBe(200);
    // However the path is written: as it is, with an escape, or behind a host.
    for (const path of ['/api/me', '/%61pi/accounts', '/ap%69/accounts', 'http://localhost/api/accounts']) {
      expect(await http.request('GET', path, { headers })).toMatchObject(refused(401, 'not_signed_in'));
    }
  });
});

describe('signing in', () => {
  test('a person who was just added chooses a password before anything else', async () => {
    const { name, password, browser } = await people.newcomer('admin');
    expect((await browser.signIn(name, password)).status).toBe(204);
    expect((await browser.api.get('/api/me')).json).toMatchObject({ name, mustChangePassword: true });
    expect(await browser.api.get('/api/operators')).toMatchObject(refused(403, 'password_change_required'));
    const short = await browser.api.put('/api/me/password', { password, newPassword: 'short' });
    expect(short).toMatchObject(refused(400, 'invalid_request'));
    const same = await browser.api.put('/api/me/password', { password, newPassword: password });
    expect(same).toMatchObject(refused(409, 'not_possible'));
    expect((await browser.api.put('/api/me/password', { password, newPassword: 'long enough a text' })).status).toBe(
      204,
    );
    expect((await browser.api.get('/api/operators')).status).toBe(200);
  });

  test('sets a cookie that only this host gets, only over secure connections, and no script reads', async () => {
    const { name, password, browser } = await people.newcomer('viewer');
    const { headers } = await browser.signIn(name, password);
    expect(headers['set-cookie']?.[0]).toMatch(
      /^__Host-heliograph=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  test('is refused where a browser would drop the cookie: over plain HTTP from another machine', async () => {
    const { name, password } = await people.newcomer('viewer');
    const signIn = (headers: Record<string, string>) =>
      http.request('POST', '/api/session', { json: { name, password }, headers: { Host: 'sms.example', ...headers } });
    const reply = await signIn({});
    expect(reply).toMatchObject(refused(403, 'https_required'));
    expect((reply.json as { detail: string }).detail).toContain('needs HTTPS');
    expect((await signIn({ 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.1' })).status).toBe(204);
  });
});

describe('guessing', () => {
  test('the password of a person is slow from the tenth wrong one on, from everywhere and all at once', async () => {
    const { name, password, browser } = await people.signedIn('viewer');
    const guesses = Array.from({ length: 40 }, (_, n) => signInFrom(`198.51.100.${n}`, name, `guess ${n}`));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    const checked = statuses.filter((status) => status === 401).length;
    expect(checked).toBeGreaterThanOrEqual(11);
    // One more after 1, 2, 4 and 8 s, should the machine be that slow.
    expect(checked).toBeLessThanOrEqual(15);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40 - checked);
    await people.gateway.database.query(
      `update operator set locked_until = now() + interval '1 minute' where name = $1`,
      [name],
    );
    const locked = await signInFrom('198.51.100.200', name, password);
    expect(locked).toMatchObject(refused(429, 'rate_limited'));
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(30);
    // Who is signed in stays so.
    expect((await browser.api.get('/api/me')).status).toBe(200);
    await people.letPass(name, '2 minutes');
    expect((await signInFrom('198.51.100.201', name, password)).status).toBe(204);
  });

  test('from one address is slow, whichever names it tries, and delays nobody elsewhere', async () => {
    const { name, password } = await people.signedIn('viewer');
    for (let n = 0; n < 11; n += 1) {
      expect((await signInFrom('203.0.113.1', `nobody-${n}`, 'guess')).status).toBe(401);
    }
    expect((await signInFrom('203.0.113.1', name, password)).status).toBe(429);
    expect((await signInFrom('203.0.113.2', name, password)).status).toBe(204);
  });
});

describe('the second factor', () => {
  test('is asked for once the device has shown a right code', async () => {
    const person = await people.signedIn('support');
    const { api } = person.browser;
    const begun = (await api.post('/api/me/second-factor')).as<{ secret: string; uri: string; qrCode: string }>();
    expect(begun.uri).toBe(`otpauth://totp/Heliograph:${person.name}?secret=${begun.secret}&issuer=Heliograph`);
    expect(Buffer.from(begun.qrCode.replace('data:image/svg+xml;base64,', ''), 'base64').toString()).toMatch(/^<svg /);
    const wrong = await api.put('/api/me/second-factor', { code: await codeOf(begun.secret, 100) });
    expect(wrong).toMatchObject(refused(401, 'sign_in_failed'));
    expect((await people.browser().signIn(person.name, person.password)).status).toBe(204);
    const enabled = await api.put('/api/me/second-factor', { code: await codeOf(begun.secret) });
    expect(enabled.as<{ recoveryCodes: string[] }>().recoveryCodes).toHaveLength(10);
    const other = people.browser();
    expect(await other.signIn(person.name, person.password)).toMatchObject(refused(401, 'code_required'));
    expect((await other.signIn(person.name, person.password, await codeOf(begun.secret, 1))).status).toBe(204);
    expect((await other.api.get('/api/me')).json).toMatchObject({ hasSecondFactor: true, recoveryCodesLeft: 10 });
  });

  test('a code is good once: not for a second sign-in, and not for two at the same moment', async () => {
    const person = await people.signedIn('support');
    const { secret, used } = await people.enrol(person);
    expect(await people.browser().signIn(person.name, person.password, used)).toMatchObject(
      refused(401, 'sign_in_failed'),
    );
    const next = await codeOf(secret, 1);
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => people.browser().signIn(person.name, person.password, next)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 401, 401, 401]);
    // Of an earlier step than the last used one.
    expect((await people.browser().signIn(person.name, person.password, used)).status).toBe(401);
  });

  test('a recovery code signs in without the device, once, however it is typed', async () => {
    const person = await people.signedIn('support');
    const { recoveryCodes } = await people.enrol(person);
    const [one = '', two = ''] = recoveryCodes;
    const signIn = (code: string) => people.browser().signIn(person.name, person.password, code);
    const both = await Promise.all([signIn(one), signIn(` ${one.toUpperCase().replaceAll('-', ' ')}`)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 401]);
    expect((await signIn(one)).status).toBe(401);
    expect((await person.browser.api.get('/api/me')).json).toMatchObject({ recoveryCodesLeft: 9 });
    const renewed = await person.browser.api.post('/api/me/recovery-codes');
    expect(renewed.as<{ recoveryCodes: string[] }>().recoveryCodes).toHaveLength(10);
    expect((await signIn(two)).status).toBe(401);
  });

  test('wrong codes lock like wrong passwords, and the right password does not excuse them', async () => {
    const person = await people.signedIn('support');
    await people.enrol(person);
    const statuses: number[] = [];
    // The delays double, so that a slow machine meets one of them as well.
    for (let n = 0; n < 18 && statuses.at(-1) !== 429; n += 1) {
      const headers = { 'X-Forwarded-For': `198.51.100.${100 + n}`, Host: 'localhost' };
      const { name, password } = person;
      await http.request('POST', '/api/session', { json: { name, password }, headers });
      const json = { name, password, code: '000000' };
      statuses.push((await http.request('POST', '/api/session', { json, headers })).status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('at a gateway that lacks the secrets key', () => {
  test('what it cannot read is named with the key that is missing, and is no fault of the service', async () => {
    const person = await people.signedIn('support');
    const { secret } = await people.enrol(person);
    const account = await people.gateway.account();
    const list = `/api/accounts/${account.accountId}/suppressions`;
    const api = operatorApi(people.gateway);
    expect((await api.post(list, { number: '+447700900123' })).status).toBe(200);
    api.close();
    const keyless = await TestGateway.start({ beside: people.gateway, settings: { SECRETS_KEY: anotherSecretsKey() } });
    const missing = (what: string) => ({
      status: 503,
      json: expect.objectContaining({
        code: 'unavailable',
        detail: expect.stringMatching(
          new RegExp(`^${what} is encrypted with key [0-9a-f]{8}, which this process does`),
        ),
      }),
    });
    const browser = new OperatorBrowser(keyless);
    expect(await browser.signIn(person.name, person.password, await codeOf(secret, 1))).toMatchObject(
      missing('The second factor'),
    );
    browser.api.close();
    const there = operatorApi(keyless);
    expect(await there.post(list, { number: '+447700900124' })).toMatchObject(
      missing('The key of the suppression lists'),
    );
    there.close();
    await keyless.close();
  });
});
