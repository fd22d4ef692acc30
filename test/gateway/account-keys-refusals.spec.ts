import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { type TestAccount, TestGateway } from '../support/gateway.js';

const KEYS = '/v1/account/keys';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
});
afterAll(() => gateway.close());

describe('refusals of changes of keys', () => {
  test.each([
    ['no name', { scopes: ['send'] }, ['name']],
    ['an empty name', { name: ' ', scopes: ['send'] }, ['name']],
    ['a long name', { name: 'x'.repeat(101), scopes: ['send'] }, ['name']],
    ['a name with a control character', { name: 'a\u0000', scopes: ['send'] }, ['name']],
    ['half of a surrogate pair', { name: 'a\ud83d', scopes: ['send'] }, ['name']],
    ['no scopes', { name: 'x' }, ['scopes']],
    ['an empty list of scopes', { name: 'x', scopes: [] }, ['scopes']],
    ['an unknown scope', { name: 'x', scopes: ['admin'] }, ['scopes']],
    ['a scope that is no list', { name: 'x', scopes: 'send' }, ['scopes']],
    ['a network that is none', { name: 'x', scopes: ['send'], networks: ['10.0.0.0/33'] }, ['networks']],
    ['an address with a zone', { name: 'x', scopes: ['send'], networks: ['fe80::1%eth0'] }, ['networks']],
    ['a network that is no text', { name: 'x', scopes: ['send'], networks: [7] }, ['networks']],
    ['too many networks', { name: 'x', scopes: ['send'], networks: Array(51).fill('10.0.0.1') }, ['networks']],
    ['a time that is over', { name: 'x', scopes: ['send'], expiresAt: '2020-01-01T00:00:00Z' }, ['expiresAt']],
    ['a time without a zone', { name: 'x', scopes: ['send'], expiresAt: '2127-01-01T00:00:00' }, ['expiresAt']],
    ['a day that is none', { name: 'x', scopes: ['send'], expiresAt: '2127-13-41T00:00:00Z' }, ['expiresAt']],
    ['a day that does not exist', { name: 'x', scopes: ['send'], expiresAt: '2127-02-30T00:00:00Z' }, ['expiresAt']],
    [
      'a year of five digits in UTC',
      { name: 'x', scopes: ['send'], expiresAt: '9999-12-31T23:59:59-14:00' },
      ['expiresAt'],
    ],
    [
      'everything at once',
      { name: 1, scopes: 2, networks: 3, expiresAt: 4 },
      ['name', 'scopes', 'networks', 'expiresAt'],
    ],
  ])('%s makes no key', async (_what, body, fields) => {
    const problem = expectProblem(await account.post(KEYS, body), 400, 'invalid_request');
    expect(faultsOf(problem)).toEqual(fields.map((field) => ({ field, code: 'invalid_request' })));
  });

  test.each([-1, 604_801, 1.5, '3600', null])('an overlap of %j rotates nothing', async (overlapSeconds) => {
    const reply = await account.post(`${KEYS}/${account.keyId}/rotate`, { overlapSeconds });
    expectProblem(reply, 400, 'invalid_request');
  });

  test.each(['00000000', 'x', '%00', 'A'.repeat(200), "'"])('there is no key %s', async (keyId) => {
    expectProblem(await account.get(`${KEYS}/${keyId}`), 404, 'not_found');
    expectProblem(await account.request('PATCH', `${KEYS}/${keyId}`, { json: { name: 'x' } }), 404, 'not_found');
    for (const change of ['revoke', 'rotate']) {
      expectProblem(await account.post(`${KEYS}/${keyId}/${change}`, {}), 404, 'not_found');
    }
  });

  test('a key of another account is not there', async () => {
    const other = await gateway.account();
    expectProblem(await account.get(`${KEYS}/${other.keyId}`), 404, 'not_found');
    for (const change of ['revoke', 'rotate']) {
      expectProblem(await account.post(`${KEYS}/${other.keyId}/${change}`, {}), 404, 'not_found');
    }
    expect((await other.get('/v1/account')).status).toBe(200);
  });
});
