import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setGuards } from '#persistence';
import { expectProblem } from '../support/expect-problem.js';
import { OPERATOR_PASSWORD, RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import { scrape } from '../support/metrics.js';

const GOOD = { recipient: RECIPIENT, message: 'hi' };
const BALANCE = '/v1/account/test-balance';

describe('test mode', () => {
  let gateway: TestGateway;
  let account: TestAccount;
  let tester: TestAccount;
  beforeAll(async () => {
    gateway = await TestGateway.start();
    account = await gateway.account();
    tester = await account.withKey({ isTest: true });
  });
  afterAll(() => gateway.close());

  describe('a test key', () => {
    test('has the form hg_test_..., and a key whose text says another kind is unknown', async () => {
      expect(tester.apiKey).toMatch(new RegExp(`^hg_test_${tester.keyId}_[\\w-]{43}$`));
      const headers = (apiKey: string) => ({ headers: { 'X-Authorization': apiKey } });
      for (const [key, text] of [
        [tester, tester.apiKey.replace('hg_test_', 'hg_')],
        [account, account.apiKey.replace('hg_', 'hg_test_')],
      ] as const) {
        expectProblem(await key.request('GET', '/v1/account', headers(text)), 401, 'unauthorized');
      }
    });

    test('has 1,000 to spend, is charged and refused by the same prices and rules, and says that it is a test', async () => {
      const before = await account.standing();
      expect((await tester.get('/v1/account/balance')).json).toEqual({ balance: 1000, currency: 'EUR', test: true });
      const sent = await tester.send(GOOD);
      expect(sent.status).toBe(201);
      expect(sent.headers['heliograph-test']).toBe('true');
      expect(sent.json).toEqual({
        success: true,
        messageId: expect.any(String),
        balanceDeduction: '0.075',
        currency: 'EUR',
        test: true,
      });
      expect((await tester.get('/v1/account')).json).toMatchObject({ creditRemaining: 999.925, test: true });
      expect((await tester.get('/v1/account/messages')).json).toMatchObject({ data: [{ amount: 0.075, test: true }] });
      const { messageId } = sent.as<{ messageId: string }>();
      expect((await tester.get(`/v1/message/${messageId}`)).json).toMatchObject({ messageId, test: true });
      expectProblem(await account.get(`/v1/message/${messageId}`), 404, 'not_found');
      expectProblem(await tester.send({ ...GOOD, recipient: 'x' }), 400, 'recipient_invalid');
      expectProblem(await tester.send({ ...GOOD, recipient: '+99912345678' }), 422, 'no_rate');
      expect(await account.standing()).toEqual(before);
      const live = await account.send(GOOD);
      expect(live.headers['heliograph-test']).toBeUndefined();
      expect(live.json).not.toHaveProperty('test');
    });

    test('shares no Idempotency-Key and no reference with the account', async () => {
      const headers = { 'Idempotency-Key': 'once' };
      const body = { ...GOOD, reference: 'one', uniqueReference: true };
      const [real, sandbox] = [await account.send(body, headers), await tester.send(body, headers)];
      expect([real.status, sandbox.status]).toEqual([201, 201]);
      expect(sandbox.headers['idempotent-replayed']).toBeUndefined();
      expect((await tester.send(body, headers)).headers['idempotent-replayed']).toBe('true');
    });

    test('sets its own balance, also to nothing, and no other key does', async () => {
      const other = await (await gateway.account()).withKey({ isTest: true });
      expect((await other.post(BALANCE, { balance: '0' })).json).toEqual({ balance: 0, currency: 'EUR', test: true });
      expectProblem(await other.send(GOOD), 402, 'insufficient_balance');
      expect((await other.post(BALANCE, { balance: '0.075' })).status).toBe(200);
      expect((await other.send(GOOD)).status).toBe(201);
      expectProblem(await other.send(GOOD), 402, 'insufficient_balance');
      for (const balance of ['-1', '1000000.01', 'x', 5, null]) {
        expectProblem(await other.post(BALANCE, { balance }), 400, 'invalid_request');
      }
      expectProblem(await account.post(BALANCE, { balance: '5' }), 403, 'test_key_required');
    });

    test('that meets guards of its account is not counted among what guards refuse', async () => {
      const owner = await gateway.account();
      const guarded = await owner.withKey({ isTest: true });
      await setGuards(gateway.database, owner.accountId, { recipientHourMax: 1, countries: ['GB'] });
      const refusals = async () =>
        (await scrape(gateway.operatorPort, '/metrics', OPERATOR_PASSWORD)).filter(
          ({ name }) => name === 'heliograph_guard_refusals_total',
        ).length;
      for (const key of [guarded, owner]) {
        const before = await refusals();
        expect((await key.send({ ...GOOD, recipient: '+447700900123' })).status).toBe(201);
        expectProblem(await key.send({ ...GOOD, recipient: '+447700900123' }), 429, 'velocity_limit');
        expectProblem(await key.send({ ...GOOD, recipient: '+4915112345678' }), 422, 'destination_blocked');
        expect((await refusals()) - before).toBe(key === owner ? 2 : 0);
      }
    });

    test('is not counted among the accepted messages', async () => {
      const accepted = async () => {
        const samples = await scrape(gateway.operatorPort, '/metrics', OPERATOR_PASSWORD);
        return samples.find(({ name }) => name === 'heliograph_messages_accepted_total')?.value ?? 0;
      };
      const before = await accepted();
      expect((await tester.send(GOOD)).status).toBe(201);
      expect(await accepted()).toBe(before);
      expect((await account.send(GOOD)).status).toBe(201);
      expect(await accepted()).toBe(before + 1);
    });
  });

  describe('the owner of an account', () => {
    const KEYS = '/v1/account/keys';
    interface Key {
      readonly keyId: string;
      readonly test: boolean;
      readonly apiKey: string;
    }
    const listed = async (by: TestAccount) =>
      (await by.get(KEYS)).as<{ data: Key[] }>().data.map(({ keyId, test: isTest }) => [keyId, isTest]);

    test('makes, lists, rotates and revokes test keys with a key of the account', async () => {
      const owner = await gateway.account();
      const made = (await owner.post(KEYS, { name: 'ci', scopes: ['send'], test: true })).as<Key>();
      expect(made).toMatchObject({ test: true, apiKey: expect.stringMatching(/^hg_test_/) });
      expect(await listed(owner)).toEqual([
        [made.keyId, true],
        [owner.keyId, false],
      ]);
      expect((await owner.by(made).send(GOOD)).status).toBe(201);
      const rotated = (await owner.post(`${KEYS}/${made.keyId}/rotate`, { overlapSeconds: 0 })).as<Key>();
      expect(rotated).toMatchObject({ test: true, apiKey: expect.stringMatching(/^hg_test_/) });
      expect((await owner.by(rotated).send(GOOD)).status).toBe(201);
      expect((await owner.post(`${KEYS}/${rotated.keyId}/revoke`, {})).json).toMatchObject({ status: 'revoked' });
      expectProblem(await owner.by(rotated).send(GOOD), 401, 'unauthorized');
    });

    test('gets with a test key test keys only, and sees no others', async () => {
      const owner = await gateway.account();
      const manager = await owner.withKey({ isTest: true });
      const made = (await manager.post(KEYS, { name: 'ci', scopes: ['send'] })).as<Key>();
      expect(made).toMatchObject({ test: true, apiKey: expect.stringMatching(/^hg_test_/) });
      expectProblem(await manager.post(KEYS, { name: 'ci', scopes: ['send'], test: false }), 403, 'exceeds_own_key');
      expect(await listed(manager)).toEqual([
        [made.keyId, true],
        [manager.keyId, true],
      ]);
      expectProblem(await manager.get(`${KEYS}/${owner.keyId}`), 404, 'not_found');
      expectProblem(await manager.post(`${KEYS}/${owner.keyId}/revoke`, {}), 404, 'not_found');
    });
  });
});
