import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dayBefore, parseMicros } from '#billing';
import { adjustBalance, bookDeposit } from '#persistence';
import { type DepositList, TIMESTAMP } from '../support/contract.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.close());

describe('GET /v1/account', () => {
  test('a new account has nothing, in exactly the fields of the contract', async () => {
    const account = await gateway.account({ deposit: '0' });
    const reply = await account.get('/v1/account');
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reply.json).toStrictEqual({
      currency: 'EUR',
      totalDeposits: 0,
      totalConsumed: 0,
      creditRemaining: 0,
      orderSummary: { messages: { count: 0, totalAmount: 0 } },
    });
  });

  test('amounts are written exactly: no exponent, no noise of floating point', async () => {
    const account = await gateway.account({ deposit: '0.1' });
    await account.deposit('0.2');
    for (let n = 0; n < 3; n += 1) await account.send({ recipient: '+491701234567', message: 'hi' });
    expect((await account.get('/v1/account')).text).toBe(
      '{"currency":"EUR","totalDeposits":0.3,"totalConsumed":0.0522,"creditRemaining":0.2478,' +
        '"orderSummary":{"messages":{"count":3,"totalAmount":0.0522}}}',
    );
    expect((await account.get('/v1/account/balance')).text).toBe('{"balance":0.2478,"currency":"EUR"}');
  });

  test('the smallest price and the largest balance stand beside each other to the last digit', async () => {
    const account = await gateway.account({ deposit: '9223372036854.775807' });
    await account.send({ recipient: '+12425550100', message: 'hi' });
    expect((await account.get('/v1/account')).text).toBe(
      '{"currency":"EUR","totalDeposits":9223372036854.775807,"totalConsumed":0.000001,' +
        '"creditRemaining":9223372036854.775806,"orderSummary":{"messages":{"count":1,"totalAmount":0.000001}}}',
    );
  });

  test('the sum over thousands of messages is exact', async () => {
    const account = await gateway.account({ deposit: '100' });
    const messages = Array(1_000).fill({ recipient: '+491701234567', message: 'hi' });
    await Promise.all([account.sendBatch(messages), account.sendBatch(messages), account.sendBatch(messages)]);
    expect((await account.get('/v1/account')).text).toBe(
      '{"currency":"EUR","totalDeposits":100,"totalConsumed":52.2,"creditRemaining":47.8,' +
        '"orderSummary":{"messages":{"count":3000,"totalAmount":52.2}}}',
    );
  });

  test('deposits in another currency count at the rate of their booking', async () => {
    const account = await gateway.account({ deposit: '10' });
    await account.deposit('12.5', 'USD');
    expect((await account.get('/v1/account')).json).toMatchObject({ totalDeposits: 21.25, creditRemaining: 21.25 });
  });

  test('the balance goes below zero within a credit limit, and all figures still fit each other', async () => {
    const account = await gateway.account({ deposit: '0.1', creditLimit: '1' });
    await account.send({ recipient: RECIPIENT, message: 'x'.repeat(300) });
    expect((await account.get('/v1/account')).json).toEqual({
      currency: 'EUR',
      totalDeposits: 0.1,
      totalConsumed: 0.15,
      creditRemaining: -0.05,
      orderSummary: { messages: { count: 1, totalAmount: 0.15 } },
    });
    expect((await account.get('/v1/account/balance')).text).toBe('{"balance":-0.05,"currency":"EUR"}');
  });

  test("an operator's correction is a deposit, a negative one as well", async () => {
    const account = await gateway.account({ deposit: '10' });
    await adjustBalance(gateway.database, account.accountId, {
      amount: parseMicros('-12.5'),
      reason: 'booked twice',
      isMeant: true,
    });
    expect((await account.get('/v1/account')).json).toMatchObject({ totalDeposits: -2.5, creditRemaining: -2.5 });
    const { data } = (await account.get('/v1/account/deposits')).as<DepositList>();
    expect(data.map(({ amount }) => amount)).toEqual([-12.5, 10]);
  });

  test('accounts do not see each other', async () => {
    const [one, two] = [await gateway.account({ deposit: '1' }), await gateway.account({ deposit: '2' })];
    await one.send({ recipient: RECIPIENT, message: 'mine' });
    expect(await two.standing()).toEqual({ balance: 2, messages: 0 });
    expect((await two.get('/v1/account/messages')).json).toMatchObject({ data: [], pagination: { total: 0 } });
    expect((await two.get('/v1/account/deposits')).json).toMatchObject({ data: [{ amount: 2 }] });
  });
});

describe('GET /v1/account/balance', () => {
  test('answers 200 with exactly the fields of the contract', async () => {
    const account = await gateway.account({ currency: 'USD', deposit: '12.34' });
    const reply = await account.get('/v1/account/balance');
    expect(reply.status).toBe(200);
    expect(reply.json).toStrictEqual({ balance: 12.34, currency: 'USD' });
  });
});

describe('GET /v1/account/deposits', () => {
  test('lists deposits newest first, each as it was paid and as it was booked', async () => {
    const account = await gateway.account({ deposit: '10' });
    await account.deposit('20.5', 'USD');
    await bookDeposit(gateway.database, account.accountId, {
      amount: 1n,
      currency: 'EUR',
      reference: 'INV-2026-117',
    });
    await adjustBalance(gateway.database, account.accountId, { amount: -5_000_000n, reason: 'paid back' });
    const reply = await account.get('/v1/account/deposits');
    expect(reply.status).toBe(200);
    const created_at = expect.stringMatching(TIMESTAMP);
    const added = { kind: 'deposit', converted_currency: 'EUR', reference: null, reason: null };
    const eur = { currency: 'EUR', created_at, ...added };
    expect(reply.json).toStrictEqual({
      data: [
        { ...eur, amount: -5, converted_amount: -5, kind: 'adjustment', reason: 'paid back' },
        { ...eur, amount: 0.000001, converted_amount: 0.000001, reference: 'INV-2026-117' },
        { ...eur, amount: 20.5, currency: 'USD', converted_amount: 18.45 },
        { ...eur, amount: 10, converted_amount: 10 },
      ],
      pagination: { page: 1, limit: 20, total: 4, total_pages: 1, next: null, total_is_capped: false },
    });
    expect(reply.text).toContain('"amount":0.000001,');
    const moments = reply.as<DepositList>().data.map((deposit) => Date.parse(deposit.created_at));
    expect(moments).toEqual(moments.toSorted((a, b) => b - a));
    expect(Math.abs(Date.now() - (moments[0] ?? 0))).toBeLessThan(60_000);
  });
});

describe('GET /v1/account/ledger', () => {
  test('lists every movement of money newest first, and each entry explains the balance that it left', async () => {
    const account = await gateway.account({ deposit: '10' });
    await account.send({ recipient: RECIPIENT, message: 'hi' });
    await account.sendBatch([
      { recipient: RECIPIENT, message: 'one' },
      { recipient: RECIPIENT, message: 'two' },
    ]);
    await adjustBalance(gateway.database, account.accountId, { amount: -5_000_000n, reason: 'paid back' });
    const reply = await account.get('/v1/account/ledger');
    const entry = { currency: 'EUR', created_at: expect.stringMatching(TIMESTAMP), messages: null, reason: null };
    expect(reply.json).toStrictEqual({
      data: [
        {
          ...entry,
          entry: 4,
          kind: 'adjust',
          amount: 5,
          balance_change: -5,
          balance_after: 4.775,
          reason: 'paid back',
        },
        { ...entry, entry: 3, kind: 'reserve', amount: 0.15, balance_change: -0.15, balance_after: 9.775, messages: 2 },
        {
          ...entry,
          entry: 2,
          kind: 'reserve',
          amount: 0.075,
          balance_change: -0.075,
          balance_after: 9.925,
          messages: 1,
        },
        { ...entry, entry: 1, kind: 'deposit', amount: 10, balance_change: 10, balance_after: 10 },
      ],
      pagination: { page: 1, limit: 20, total: 4, total_pages: 1, next: null, total_is_capped: false },
    });
  });

  test.each(['ledger', 'deposits'])('%s: goes on by page and by cursor, which nothing new shifts', async (list) => {
    interface Entries {
      readonly data: { amount: number }[];
      readonly pagination: { next: string };
    }
    const account = await gateway.account({ deposit: '1' });
    for (const amount of ['2', '3', '4', '5']) await account.deposit(amount);
    const get = async (query: string) => (await account.get(`/v1/account/${list}?limit=2${query}`)).as<Entries>();
    const amounts = ({ data }: Entries) => data.map(({ amount }) => amount);
    const first = await get('');
    expect([amounts(first), amounts(await get('&page=2')), amounts(await get('&page=3'))]).toEqual([
      [5, 4],
      [3, 2],
      [1],
    ]);
    expect(await get('&page=4')).toMatchObject({ data: [], pagination: { total: 5, total_pages: 3, next: null } });
    await account.deposit('6');
    const second = await get(`&cursor=${first.pagination.next}`);
    const third = await get(`&cursor=${second.pagination.next}`);
    expect([amounts(second), amounts(third), third.pagination.next]).toEqual([[3, 2], [1], null]);
    const other = list === 'ledger' ? 'deposits' : 'ledger';
    const elsewhere = await account.get(`/v1/account/${other}?cursor=${first.pagination.next}`);
    expectProblem(elsewhere, 400, 'invalid_request');
  });
});

describe('GET /v1/account/usage', () => {
  test('adds up messages by day, destination and status', async () => {
    const account = await gateway.account({ deposit: '10' });
    await account.send({ recipient: RECIPIENT, message: 'x'.repeat(200) });
    await account.send({ recipient: RECIPIENT, message: 'hi' });
    await account.send({ recipient: '+491701234567', message: 'hi' });
    const today = new Date().toISOString().slice(0, 10);
    const item = { day: today, status: 'queued', currency: 'EUR' };
    expect((await account.get('/v1/account/usage')).json).toMatchObject({
      counted_until: null,
      data: [
        { ...item, destination: '46', messages: 2, segments: 3, amount: 0.225 },
        { ...item, destination: '49', messages: 1, segments: 1, amount: 0.0174 },
      ],
    });
    const past = (await account.get('/v1/account/usage?from=2026-01-01&to=2026-01-31')).json;
    expect(past).toEqual({ from: '2026-01-01', to: '2026-01-31', counted_until: null, data: [] });
  });

  test('covers as many days as the guide and the API reference say', async () => {
    const account = await gateway.account({ deposit: '0' });
    const [, days = ''] =
      /up to (\d+) days, by default/.exec(readFileSync('docs/guide/find-and-follow.md', 'utf8')) ?? [];
    expect((await account.get('/openapi.json')).text).toContain(`at most ${days} days before`);
    const statusOf = async (count: number) => {
      const from = dayBefore('2026-01-01', count);
      return (await account.get(`/v1/account/usage?from=${from}&to=2026-01-01`)).status;
    };
    expect([await statusOf(Number(days)), await statusOf(Number(days) + 1)]).toEqual([200, 400]);
  });

  test.each([
    ['from=2026-02-01&to=2026-01-01', 'from'],
    ['from=2024-01-01&to=2026-01-01', 'from'],
    ['from=yesterday', 'from'],
    ['to=2026-02-30T00:00:00Z', 'to'],
    ['to=2026-13-01', 'to'],
    ['from=2026-11-01&to=2026-11-31', 'to'],
    ['from=2026-02-30', 'from'],
    ['from=0000-12-31&to=0001-01-02', 'from'],
    ['to=0000-01-01', 'to'],
    ['to=0001-01-01', 'to'],
  ])('refuses %s', async (query, field) => {
    const account = await gateway.account({ deposit: '0' });
    const problem = expectProblem(await account.get(`/v1/account/usage?${query}`), 400, 'invalid_request');
    expect(faultsOf(problem)).toEqual([{ field, code: 'invalid_request' }]);
  });
});
