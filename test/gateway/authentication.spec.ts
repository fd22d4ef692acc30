import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { resumeAccount, revokeApiKey, suspendAccount } from '#persistence';
import type { Problem } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { expectProblem } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
});
afterAll(() => gateway.close());

const ENDPOINTS: [string, string][] = [
  ['POST', '/v1/message/send'],
  ['POST', '/v1/message/send-batch'],
  ['POST', '/v1/message/quote'],
  ['GET', '/v1/account'],
  ['GET', '/v1/account/balance'],
  ['GET', '/v1/account/deposits'],
  ['GET', '/v1/account/messages'],
];

describe('the X-Authorization header', () => {
  test.each(ENDPOINTS)('%s %s answers 401 without it', async (method, path) => {
    const reply = await gateway.http.request(method, path);
    expectProblem(reply, 401, 'unauthorized');
    expect(reply.headers['www-authenticate']).toBe('ApiKey realm="heliograph", header="X-Authorization"');
  });

  test('a malformed, unknown, altered and revoked key are refused alike, and a missing one with how to send it', async () => {
    const revoked = await account.anotherKey();
    await revokeApiKey(gateway.database, revoked.keyId);
    const altered = `${account.apiKey.slice(0, -3)}${account.apiKey.endsWith('AAA') ? 'BBB' : 'AAA'}`;
    const unknown = 'hg_00000000_'.padEnd(55, 'A');
    const keys = [undefined, '', 'x', unknown, altered, revoked.apiKey, `Bearer ${account.apiKey}`, 'k'.repeat(9_000)];
    const answers = await Promise.all(
      keys.map(async (key) => {
        const reply = await gateway.http.request('GET', '/v1/account', {
          headers: key === undefined ? {} : { 'X-Authorization': key },
        });
        const { requestId, instance, ...rest } = reply.as<Problem>();
        expect(instance).toBe(`/requests/${requestId}`);
        const { date: _date, 'x-request-id': _id, ...headers } = reply.headers;
        return { status: reply.status, headers, rest };
      }),
    );
    const [missing, empty, wrong, ...others] = answers;
    expect(empty).toEqual(missing);
    for (const answer of others) expect(answer).toEqual(wrong);
    expect(wrong).toMatchObject({ status: 401, rest: { detail: 'The API key is not valid.' } });
    const detail = 'Send the API key of an account in the X-Authorization header.';
    // The sentence for people, and with it the length, is all that differs.
    expect(missing).toEqual({
      ...wrong,
      headers: { ...wrong?.headers, 'content-length': missing?.headers['content-length'] },
      rest: { ...wrong?.rest, detail },
    });
  });

  test('sent twice it is no key', async () => {
    const headers = { 'X-Authorization': [account.apiKey, account.apiKey] };
    const reply = await gateway.http.request('GET', '/v1/account', { headers });
    expectProblem(reply, 401, 'unauthorized');
    expect(reply.as<Problem>().detail).toBe('Send one X-Authorization header, with one key.');
  });

  test('its name may be written in any case', async () => {
    for (const name of ['x-authorization', 'X-AUTHORIZATION', 'x-AuThOrIzAtIoN']) {
      const headers = { [name]: account.apiKey };
      expect((await gateway.http.request('GET', '/v1/account', { headers })).status).toBe(200);
    }
  });

  test('is asked for before the path is looked at, however the path is written', async () => {
    for (const path of ['/v1/nothing', '/v1', '/%76%31/account', '/v1/%61ccount', '/v1/account?x=1']) {
      expectProblem(await gateway.http.request('GET', path), 401, 'unauthorized');
    }
  });

  test('is asked for before the body is read', async () => {
    const headers = { 'Content-Type': 'text/plain' };
    expectProblem(await gateway.http.request('POST', '/v1/message/send', { body: '{', headers }), 401, 'unauthorized');
  });

  test('every key of an account opens that account and no other', async () => {
    const second = await account.anotherKey();
    const other = await gateway.account({ deposit: '7' });
    const balance = async (apiKey: string) =>
      (await gateway.http.request('GET', '/v1/account/balance', { headers: { 'X-Authorization': apiKey } })).json;
    expect(await balance(second.apiKey)).toEqual(await balance(account.apiKey));
    expect(await balance(other.apiKey)).toEqual({ balance: 7, currency: 'EUR' });
  });

  test('a revoked key ends, and the other keys of the account go on', async () => {
    const doomed = await account.anotherKey();
    const headers = { 'X-Authorization': doomed.apiKey };
    const status = async () => (await gateway.http.request('GET', '/v1/account', { headers })).status;
    expect(await status()).toBe(200);
    await revokeApiKey(gateway.database, doomed.keyId);
    // Within what a notice takes, not within what a key is remembered for.
    await eventually(async () => (await status()) === 401, { timeoutMs: 4_000 });
    expect((await account.get('/v1/account')).status).toBe(200);
  });
});

describe('a suspended account', () => {
  test('cannot send from the moment that it is suspended, and can again once it is resumed', async () => {
    const doomed = await gateway.account();
    const send = () => doomed.send({ recipient: RECIPIENT, message: 'hi' });
    expect((await send()).status).toBe(201);
    await suspendAccount(gateway.database, doomed.accountId);
    expectProblem(await send(), 403, 'account_suspended');
    expectProblem(await doomed.sendBatch([{ recipient: RECIPIENT, message: 'hi' }]), 403, 'account_suspended');
    await resumeAccount(gateway.database, doomed.accountId);
    await eventually(async () => (await send()).status === 201);
    expect(await doomed.standing()).toEqual({ balance: 99.85, messages: 2 });
  });

  test.each(ENDPOINTS)('is answered 403 by %s %s', async (method, path) => {
    const doomed = await gateway.account();
    await suspendAccount(gateway.database, doomed.accountId);
    const reply = await doomed.request(method, path, method === 'POST' ? { json: {} } : {});
    expectProblem(reply, 403, 'account_suspended');
  });
});
