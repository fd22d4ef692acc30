import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { countLowAccounts, verifyLedger } from '#persistence';
import { TestGateway } from '../support/gateway.js';
import { type OperatorApi, operatorApi } from '../support/operator-api.js';
import { documentedAnswers } from './documented-answers.js';

interface Answered {
  readonly accountId: string;
  readonly repeated: boolean;
  readonly code: string;
  readonly data: readonly { readonly amount: string; readonly name: string }[];
  readonly next: string | null;
}

describe("the operators' API", () => {
  let gateway: TestGateway;
  let api: OperatorApi;
  const roles: Partial<Record<'viewer' | 'support' | 'finance', OperatorApi>> = {};
  beforeAll(async () => {
    gateway = await TestGateway.start();
    api = await documentedAnswers(operatorApi(gateway));
    for (const role of ['viewer', 'support', 'finance'] as const) roles[role] = operatorApi(gateway, role);
  });
  afterAll(async () => {
    for (const one of [api, ...Object.values(roles)]) one.close();
    await gateway.close();
  });

  const opened = async (name: string) => {
    const reply = await api.post('/api/accounts', { name, currency: 'EUR' });
    expect(reply.status).toBe(201);
    return reply.as<Answered>().accountId;
  };

  test('pages of a suppression list neither repeat nor skip a number when another one comes or goes', async () => {
    const path = `/api/accounts/${await opened('Suppressing')}/suppressions`;
    const added = ['+447700900101', '+447700900102', '+447700900103', '+447700900104', '+447700900105'];
    const ids = [];
    for (const number of added) {
      expect((await api.post(path, { number })).json).toEqual({ isNew: true, canceled: 0 });
      ids.unshift((await api.get(`${path}?limit=1`)).as<{ data: { id: string }[] }>().data[0]?.id);
    }
    const page = async (query: string) => {
      const { data, next } = (await api.get(`${path}?${query}`)).as<{ data: { id: string }[]; next: string | null }>();
      return { ids: data.map(({ id }) => id), next };
    };
    const first = await page('limit=2');
    expect(first.ids).toEqual(ids.slice(0, 2));
    await api.post(path, { number: '+447700900106' });
    const second = await page(`limit=2&cursor=${first.next}`);
    expect(second.ids).toEqual(ids.slice(2, 4));
    for (const number of ['104', '103'])
      await api.delete(`${path}?number=${encodeURIComponent(`+447700900${number}`)}`);
    expect(await page(`limit=2&cursor=${second.next}`)).toEqual({ ids: ids.slice(4), next: null });
  });

  test('a deposit that is sent twice with one Idempotency-Key is booked once, to the last decimal', async () => {
    const account = await opened('Once');
    const book = (amount: string) =>
      api.request('POST', `/api/accounts/${account}/deposits`, {
        json: { amount, currency: 'EUR' },
        headers: { 'Idempotency-Key': 'click-1' },
      });
    const [first, second] = await Promise.all([book('0.100001'), book('0.100001')]);
    expect([first.as<Answered>().repeated, second.as<Answered>().repeated].sort()).toEqual([false, true]);
    expect((await api.get(`/api/accounts/${account}`)).json).toMatchObject({ creditRemaining: '0.100001' });
    const other = await book('5');
    expect([other.status, other.as<Answered>().code]).toEqual([409, 'not_possible']);
    const listed = (await api.get(`/api/accounts/${account}/deposits`)).as<Answered>();
    expect(listed.data.map(({ amount }) => amount)).toEqual(['0.100001']);
    expect((await verifyLedger(gateway.database)).isClean).toBe(true);
  });

  test('an Idempotency-Key of another payment is refused: that payment would be lost', async () => {
    const account = await opened('Two payments');
    const headers = { 'Idempotency-Key': 'click-3' };
    const book = (what: string, json: object) =>
      api.request('POST', `/api/accounts/${account}/${what}`, { json, headers });
    const paid = (reference?: string) => book('deposits', { amount: '5', currency: 'EUR', reference });
    expect((await paid('invoice-1')).status).toBe(201);
    expect((await paid('invoice-1')).json).toMatchObject({ repeated: true });
    for (const reference of ['invoice-2', undefined]) {
      expect([reference, (await paid(reference)).json]).toMatchObject([
        reference,
        { status: 409, code: 'not_possible' },
      ]);
    }
    headers['Idempotency-Key'] = 'click-4';
    expect((await book('adjustments', { amount: '1', reason: 'goodwill' })).status).toBe(201);
    expect((await book('adjustments', { amount: '1', reason: 'outage' })).json).toMatchObject({ status: 409 });
    expect((await api.get(`/api/accounts/${account}`)).json).toMatchObject({ creditRemaining: '6' });
  });

  test('an amount that is a number, or has a seventh decimal, is refused and books nothing', async () => {
    const account = await opened('Exact');
    for (const amount of [0.1, '0.0000001', '1e3', '']) {
      const reply = await api.post(`/api/accounts/${account}/deposits`, { amount, currency: 'EUR' });
      expect([amount, reply.status, reply.as<Answered>().code]).toEqual([amount, 400, 'invalid_request']);
    }
    const { json } = await api.post(`/api/accounts/${account}/deposits`, { amount: '1e3', currency: 'EUR' });
    expect(json).toMatchObject({ detail: 'amount must be written like 12.5.' });
    expect((await api.get(`/api/accounts/${account}/deposits`)).json).toEqual({ data: [], next: null });
  });

  test('a text that PostgreSQL cannot store is refused by its name, wherever it stands', async () => {
    const account = await opened('Stored');
    const deposit = { amount: '1', currency: 'EUR' };
    for (const [path, body, field] of [
      ['/api/accounts', { name: 'a\u0000', currency: 'EUR' }, 'name'],
      [`/api/accounts/${account}/deposits`, { ...deposit, reference: 'a\ud83d' }, 'reference'],
      [`/api/accounts/${account}/deposits`, { ...deposit, reference: 'a\u0000' }, 'reference'],
      [`/api/accounts/${account}/adjustments`, { amount: '1', reason: 'a\u0000' }, 'reason'],
    ] as const) {
      expect([path, (await api.post(path, body)).json]).toMatchObject([
        path,
        { code: 'invalid_request', errors: [{ field }] },
      ]);
    }
    expect((await api.get('/api/audit-log?by=%00')).json).toMatchObject({ errors: [{ field: 'by' }] });
    expect((await api.get(`/api/accounts/${account}/deposits`)).json).toEqual({ data: [], next: null });
  });

  test('an Idempotency-Key in several lines is refused', async () => {
    const reply = await api.request('POST', `/api/accounts/${await opened('Twice')}/deposits`, {
      json: { amount: '1', currency: 'EUR' },
      headers: { 'Idempotency-Key': ['click-2', 'click-2'] },
    });
    expect([reply.status, reply.as<Answered>().code]).toEqual([400, 'idempotency_key_invalid']);
  });

  test('a field that may be null has one fault, which says so', async () => {
    const account = await opened('Alerted');
    const refused = (await api.patch(`/api/accounts/${account}`, { balanceAlert: 'much' })).json;
    const detail = 'balanceAlert must be written like 12.5, or null.';
    expect(refused).toMatchObject({ errors: [{ field: 'balanceAlert', code: 'invalid_request', detail }] });
  });

  test('a balance below 0 is neither an alert nor what test keys may spend, and a closed account has no more of it', async () => {
    const account = await opened('Bounded');
    const path = `/api/accounts/${account}`;
    const detail = 'A balance alert is 0 or above.';
    expect((await api.patch(path, { balanceAlert: '-5' })).json).toMatchObject({ code: 'not_possible', detail });
    await api.post(`${path}/keys`, { test: true });
    const set = (balance: string) => api.put(`${path}/test-balance`, { balance });
    expect((await set('-5')).json).toMatchObject({ detail: 'A test balance is 0 or above.' });
    expect((await set('5')).status).toBe(200);
    await api.post(`${path}/close`);
    expect((await set('6')).json).toMatchObject({ code: 'not_possible', detail: `Account ${account} is closed.` });
  });

  test('a period that ends before it begins is refused, instead of answered with nothing', async () => {
    const account = await opened('Periods');
    const [early, late] = ['2026-11-01', '2026-11-02'];
    const moments = `since=${late}T00:00:00Z&until=${early}T00:00:00Z`;
    for (const path of [
      `/api/accounts/${account}/usage?from=${late}&to=${early}`,
      `/api/audit-log?${moments}`,
      `/api/messages?account=${account}&${moments}`,
    ]) {
      const detail = 'The period would end before it begins.';
      expect([path, (await api.get(path)).json]).toMatchObject([path, { code: 'not_possible', detail }]);
    }
  });

  test('an unusual adjustment needs a second look, and every adjustment a reason', async () => {
    const account = await opened('Adjusted');
    const path = `/api/accounts/${account}/adjustments`;
    expect((await api.post(path, { amount: '-1' })).as<Answered>().code).toBe('invalid_request');
    const unusual = await api.post(path, { amount: '-1', reason: 'booked twice' });
    expect([unusual.status, unusual.as<Answered>().code]).toEqual([409, 'unusual_adjustment']);
    const meant = await api.post(path, { amount: '-1', reason: 'booked twice', isMeant: true });
    expect(meant.json).toMatchObject({ kind: 'adjustment', creditRemaining: '-1', reason: 'booked twice' });
    expect((await api.get(`/api/accounts/${account}/ledger`)).as<Answered>().data).toMatchObject([
      { kind: 'adjust', amount: '1', balanceAfter: '-1', reason: 'booked twice' },
    ]);
    expect((await api.get(`/api/accounts/${account}/statement`)).json).toMatchObject({ closing: '-1' });
  });

  test('what an operator changes stands in the audit log with the name, before and after', async () => {
    const account = await opened('Recorded');
    await api.patch(`/api/accounts/${account}`, { sender: 'Acme', maxInFlight: 5 });
    await api.put(`/api/accounts/${account}/credit-limit`, { creditLimit: '12.50' });
    const log = (await api.get(`/api/audit-log?account=${account}`)).as<Answered>();
    expect(log.data[0]).toMatchObject({
      operator: expect.stringMatching(/^spec/),
      subject: 'credit_limit_change',
      after: { credit_limit: '12.5' },
    });
    expect(log.data[1]).toMatchObject({ subject: 'account', before: { sender: null }, after: { sender: 'Acme' } });
  });

  test('a list goes on by its cursor to the last account, and finds accounts by name', async () => {
    for (const name of ['Page one', 'Page two', 'Page three']) await opened(name);
    const found: string[] = [];
    let cursor = '';
    do {
      const page = (await api.get(`/api/accounts?search=PAGE&limit=2${cursor}`)).as<Answered>();
      found.push(...page.data.map(({ name }) => name));
      cursor = page.next === null ? '' : `&cursor=${page.next}`;
    } while (cursor !== '');
    expect(found).toEqual(['Page one', 'Page two', 'Page three']);
  });

  test('an account is low while it is active and its balance is below its alert, whatever its credit limit is', async () => {
    const [low, rich, silent] = [await opened('Low one'), await opened('Low but rich'), await opened('Low, no alert')];
    await api.put(`/api/accounts/${low}/credit-limit`, { creditLimit: '1000' });
    await api.post(`/api/accounts/${low}/deposits`, { amount: '4.999999', currency: 'EUR' });
    await api.post(`/api/accounts/${rich}/deposits`, { amount: '5', currency: 'EUR' });
    for (const account of [low, rich]) await api.patch(`/api/accounts/${account}`, { balanceAlert: '5' });
    const names = async () =>
      (await api.get('/api/accounts?low=true&search=low')).as<Answered>().data.map(({ name }) => name);
    expect(await names()).toEqual(['Low one']);
    expect((await api.get(`/api/accounts/${low}`)).json).toMatchObject({ isLow: true });
    for (const account of [rich, silent]) {
      expect((await api.get(`/api/accounts/${account}`)).json).toMatchObject({ isLow: false });
    }
    expect(await countLowAccounts(gateway.database)).toEqual([{ currency: 'EUR', accounts: 1 }]);
    expect((await api.post(`/api/accounts/${low}/suspend`, { queued: 'send' })).status).toBe(200);
    expect(await names()).toEqual([]);
    expect(await countLowAccounts(gateway.database)).toEqual([{ currency: 'EUR', accounts: 0 }]);
  });

  test('suspending, resuming and closing an account say what became of its messages', async () => {
    const account = await opened('Leaving');
    expect((await api.post(`/api/accounts/${account}/suspend`, { queued: 'hold' })).json).toMatchObject({
      status: 'suspended',
      holdsQueued: true,
      queued: 0,
      refunded: 0,
    });
    expect((await api.post(`/api/accounts/${account}/resume`)).json).toMatchObject({ status: 'active', released: 0 });
    expect((await api.post(`/api/accounts/${account}/close`)).json).toMatchObject({ status: 'closed' });
    expect((await api.post(`/api/accounts/${account}/resume`)).as<Answered>().code).toBe('not_possible');
  });

  test.each([
    ['viewer', 'POST', '/api/accounts/1/deposits', { amount: '1', currency: 'EUR' }],
    ['support', 'POST', '/api/accounts/1/adjustments', { amount: '1', reason: 'x' }],
    ['finance', 'POST', '/api/carriers/acme/pause', undefined],
    ['support', 'DELETE', '/api/carriers/acme', undefined],
    ['finance', 'GET', '/api/messages?texts=true', undefined],
    ['viewer', 'PUT', '/api/hold', { reason: 'x' }],
  ] as const)('a %s is refused %s %s', async (role, method, path, json) => {
    const reply = await roles[role]?.request(method, path, json === undefined ? {} : { json });
    expect([reply?.status, reply?.as<Answered>().code]).toEqual([403, 'role_missing']);
  });

  test('what is not there is answered with 404, and no statement fails on it', async () => {
    for (const path of ['/api/accounts/9999', '/api/accounts/9999/deposits', '/api/carriers/nobody']) {
      const reply = await api.get(path);
      expect([path, reply.status, reply.as<Answered>().code]).toEqual([path, 404, 'not_found']);
    }
  });
});
