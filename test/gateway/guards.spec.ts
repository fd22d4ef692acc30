import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findMessage, setGuards, suppress, unsuppress } from '#persistence';
import { eventually } from '../support/eventually.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { type TestAccount, TestGateway } from '../support/gateway.js';

/** 0.05, 0.0174 and 0.01 EUR a segment. */
const [GB, DE, US] = ['+447700900123', '+4915112345678', '+14155550100'];
const to = (recipient: string) => ({ recipient, message: 'hi' });

let gateway: TestGateway;
let other: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
  other = await TestGateway.start({ beside: gateway });
});
afterAll(async () => {
  await other.close();
  await gateway.close();
});

/** The account as a client of the second gateway has it. */
const elsewhere = (account: TestAccount, body: object) =>
  other.http.request('POST', '/v1/message/send', { json: body, headers: { 'X-Authorization': account.apiKey } });
const guard = (account: TestAccount, change: Parameters<typeof setGuards>[2]) =>
  setGuards(gateway.database, account.accountId, change);

describe('a guard on countries and prices', () => {
  test('holds for the next send after it is set, on every gateway, and for quotes', async () => {
    const account = await gateway.account();
    expect([(await account.send(to(DE))).status, (await elsewhere(account, to(DE))).status]).toEqual([201, 201]);
    await guard(account, { countries: ['GB'] });
    const before = await account.standing();
    const fault = { field: 'recipient', code: 'destination_blocked' };
    expect(faultsOf(expectProblem(await account.send(to(DE)), 422, 'destination_blocked'))).toEqual([fault]);
    expectProblem(await elsewhere(account, to(DE)), 422, 'destination_blocked');
    expectProblem(await account.post('/v1/message/quote', to(DE)), 422, 'destination_blocked');
    expect(await account.standing()).toEqual(before);
    expect((await account.send(to(GB))).status).toBe(201);
    await guard(account, { countries: null });
    // A gateway that has not heard yet that a guard is lifted still refuses.
    await eventually(async () => expect((await elsewhere(account, to(DE))).status).toBe(201));
  });

  test('names every entry of a batch at fault, beside other faults', async () => {
    const account = await gateway.account();
    await guard(account, { countries: ['GB', 'DE'], priceMax: '0.02' });
    const answer = await account.sendBatch([to(DE), to(GB), to(US), { recipient: 'x', message: 'hi' }]);
    expect(faultsOf(expectProblem(answer, 400, 'invalid_request'))).toEqual([
      { field: 'recipient', code: 'price_above_max', arrayPosition: 1 },
      { field: 'recipient', code: 'destination_blocked', arrayPosition: 2 },
      { field: 'recipient', code: 'recipient_invalid', arrayPosition: 3 },
    ]);
  });

  test('lets the repeat of an accepted send be answered as it was', async () => {
    const account = await gateway.account();
    const headers = { 'Idempotency-Key': 'once' };
    const first = await account.post('/v1/message/send', to(DE), headers);
    await guard(account, { countries: ['GB'] });
    const second = await account.post('/v1/message/send', to(DE), headers);
    expect([second.status, second.json]).toEqual([201, first.json]);
  });
});

describe('a cap on spend', () => {
  test('is exact at its edge, with sends over two gateways at once', async () => {
    const account = await gateway.account();
    await guard(account, { spendDayMax: '0.1' });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? account.send(to(US)) : elsewhere(account, to(US)))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) {
      expect(expectProblem(answer, 403, 'spend_limit')).toMatchObject({
        period: 'day',
        limit: 0.1,
        spent: 0.1,
        required: 0.01,
        currency: 'EUR',
      });
    }
  });

  test('counts what was spent before it was set, and takes a batch whole or not at all', async () => {
    const account = await gateway.account();
    await account.sendBatch(Array.from({ length: 6 }, () => to(US)));
    await guard(account, { spendMonthMax: '0.1' });
    expectProblem(await account.sendBatch(Array.from({ length: 5 }, () => to(US))), 403, 'spend_limit');
    expect((await account.sendBatch(Array.from({ length: 4 }, () => to(US)))).status).toBe(201);
    expect(expectProblem(await account.send(to(US)), 403, 'spend_limit')).toMatchObject({ period: 'month' });
  });

  test('gets back what is canceled', async () => {
    const account = await gateway.account();
    await guard(account, { spendDayMax: '0.02', spendMonthMax: '0.02' });
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const later = (await account.send({ ...to(US), sendAt })).as<{ messageId: string }>();
    expect((await account.send(to(US))).status).toBe(201);
    expectProblem(await account.send(to(US)), 403, 'spend_limit');
    expect((await account.post(`/v1/message/${later.messageId}/cancel`, {})).status).toBe(200);
    expect((await account.send(to(US))).status).toBe(201);
    expectProblem(await account.send(to(US)), 403, 'spend_limit');
  });

  test('grows with the age of the account, if it is a ramp', async () => {
    const account = await gateway.account();
    await guard(account, { rampDays: 7, rampSpendDay: '0.01' });
    expect((await account.send(to(US))).status).toBe(201);
    expectProblem(await account.send(to(US)), 403, 'spend_limit');
    await gateway.database.query("update account set created_at = now() - interval '1 day' where account_id = $1", [
      account.accountId,
    ]);
    await guard(account, {});
    expect((await account.send(to(US))).status).toBe(201);
    expectProblem(await account.send(to(US)), 403, 'spend_limit');
  });

  test('that is a ramp does not begin anew with the first test key of an old account', async () => {
    const account = await gateway.account();
    await gateway.database.query("update account set created_at = now() - interval '7 days' where account_id = $1", [
      account.accountId,
    ]);
    await guard(account, { rampDays: 7, rampSpendDay: '0.01' });
    const tester = await account.withKey({ isTest: true });
    for (const who of [account, tester]) {
      expect((await who.get('/v1/account/guards')).json).toMatchObject({ spendDayMax: null });
      for (let count = 0; count < 2; count += 1) expect((await who.send(to(US))).status).toBe(201);
    }
  });
});

describe('a guard on velocity', () => {
  test('stops a flood of one range at the configured number of messages, never later, over two gateways', async () => {
    const account = await gateway.account();
    await guard(account, { rangeHourMax: 20, rangeDigits: 4 });
    const number = (n: number) => to(`+1415555${String(n).padStart(4, '0')}`);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? account.send(number(n)) : elsewhere(account, number(n)))),
    );
    const accepted = answers.filter(({ status }) => status === 201).length;
    expect(accepted).toBeLessThanOrEqual(20);
    // Beside other gateways a range may be refused from the half on.
    expect(accepted).toBeGreaterThanOrEqual(10);
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      expectProblem(refused, 429, 'velocity_limit');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await account.send(to('+14165550100'))).status).toBe(201);
  });

  test('names the entries of a batch that are too many for one number', async () => {
    const account = await gateway.account();
    await guard(account, { recipientHourMax: 2 });
    const answer = await account.sendBatch([to(DE), to(US), to(DE), to(DE)]);
    expect(faultsOf(expectProblem(answer, 429, 'velocity_limit'))).toEqual(
      [0, 2, 3].map((arrayPosition) => ({ field: 'recipient', code: 'velocity_limit', arrayPosition })),
    );
    expect((await account.sendBatch([to(DE), to(US)])).status).toBe(201);
  });

  test('says when to come back, but not of a batch that no hour has room for', async () => {
    const account = await gateway.account();
    await guard(account, { recipientHourMax: 2 });
    const never = await account.sendBatch([to(DE), to(DE), to(DE)]);
    const { errors } = expectProblem(never, 429, 'velocity_limit');
    expect(errors).toMatchObject(Array(3).fill({ detail: expect.stringContaining('in one request') }));
    expect(never.headers).not.toHaveProperty('retry-after');
    expect((await account.sendBatch([to(DE), to(DE)])).status).toBe(201);
    const later = await account.sendBatch([to(DE), to(DE)]);
    expectProblem(later, 429, 'velocity_limit');
    expect(Number(later.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('does not count what is refused for another reason', async () => {
    const account = await gateway.account({ deposit: '0.01' });
    await guard(account, { recipientHourMax: 2 });
    for (let n = 0; n < 5; n += 1) expectProblem(await account.send(to(DE)), 402, 'insufficient_balance');
    expect((await account.send(to(US))).status).toBe(201);
  });
});

describe('a number on the suppression list', () => {
  test('gets nothing from the moment on that it is put there, on every gateway', async () => {
    const account = await gateway.account();
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const later = (await account.send({ ...to(DE), sendAt })).as<{ messageId: string }>();
    expect((await elsewhere(account, to(GB))).status).toBe(201);
    await suppress(gateway.database, account.accountId, DE.slice(1), { source: 'recipient' });
    const fault = { field: 'recipient', code: 'recipient_opted_out' };
    expect(faultsOf(expectProblem(await account.send(to(DE)), 422, 'recipient_opted_out'))).toEqual([fault]);
    expectProblem(await elsewhere(account, to('0049 151 12345678')), 422, 'recipient_opted_out');
    const batch = await account.sendBatch([to(GB), to(DE)]);
    expect(faultsOf(expectProblem(batch, 422, 'recipient_opted_out'))).toEqual([{ ...fault, arrayPosition: 1 }]);
    expect((await account.send(to(GB))).status).toBe(201);
    expect(await findMessage(gateway.database, later.messageId)).toMatchObject({ state: 'canceled' });
    const shown = await account.get(`/v1/message/${later.messageId}`);
    expect(shown.json).toMatchObject({ status: 'canceled', reason: 'recipient_opted_out' });
    await unsuppress(gateway.database, account.accountId, DE.slice(1), 'recipient');
    expect((await account.send(to(DE))).status).toBe(201);
  });
});

test('guards for all accounts hold for those without their own, also for accounts that are new', async () => {
  const [one, exempt] = [await gateway.account(), await gateway.account()];
  await guard(exempt, { countries: null });
  await setGuards(gateway.database, '0', { countries: ['GB'] });
  try {
    expectProblem(await one.send(to(DE)), 422, 'destination_blocked');
    expectProblem(await (await gateway.account()).send(to(DE)), 422, 'destination_blocked');
    expect((await exempt.send(to(DE))).status).toBe(201);
  } finally {
    await setGuards(gateway.database, '0', { countries: null });
  }
  await eventually(async () => expect((await one.send(to(DE))).status).toBe(201));
});
