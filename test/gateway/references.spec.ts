import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { UUID } from '../support/contract.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

const GOOD = { recipient: RECIPIENT, message: 'hi' };
let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
});
afterAll(() => gateway.close());

const listed = async (limit: number) =>
  (await account.get(`/v1/account/messages?limit=${limit}`)).as<{ data: { reference: string; tag: string }[] }>().data;
const batch = (messages: unknown, options: object, headers: Record<string, string> = {}) =>
  account.post('/v1/message/send-batch', { messages, ...options }, headers);

describe('a reference and a tag', () => {
  test('come back with the answer, in lists, and with the message', async () => {
    const reply = await account.send({ ...GOOD, reference: 'Bestellung №7 👍', tag: 'spring' });
    expect(reply.json).toStrictEqual({
      success: true,
      messageId: expect.stringMatching(UUID),
      balanceDeduction: '0.075',
      currency: 'EUR',
      reference: 'Bestellung №7 👍',
      tag: 'spring',
    });
    expect(await listed(1)).toMatchObject([{ reference: 'Bestellung №7 👍', tag: 'spring' }]);
    const { messageId } = reply.as<{ messageId: string }>();
    expect((await account.get(`/v1/message/${messageId}`)).json).toMatchObject({
      reference: 'Bestellung №7 👍',
      tag: 'spring',
    });
  });

  test('are not in the answer of a send without them, which is that of the contract', async () => {
    expect(Object.keys((await account.send(GOOD)).as<object>())).toEqual([
      'success',
      'messageId',
      'balanceDeduction',
      'currency',
    ]);
    expect(await listed(1)).toMatchObject([{ reference: null, tag: null }]);
  });

  test('of a batch are for all entries that have none of their own', async () => {
    const reply = await batch([GOOD, { ...GOOD, reference: 'own' }, { ...GOOD, tag: 'other' }], {
      reference: 'all',
      tag: 'spring',
    });
    const { orderSummary } = reply.as<{ orderSummary: object[] }>();
    expect(orderSummary).toMatchObject([
      { reference: 'all', tag: 'spring' },
      { reference: 'own', tag: 'spring' },
      { reference: 'all', tag: 'other' },
    ]);
    expect((await listed(3)).map(({ reference, tag }) => [reference, tag]).reverse()).toEqual([
      ['all', 'spring'],
      ['own', 'spring'],
      ['all', 'other'],
    ]);
  });

  test('may be given to some entries only', async () => {
    const reply = await batch([GOOD, { ...GOOD, reference: 'some' }], {});
    const { orderSummary } = reply.as<{ orderSummary: { reference?: string }[] }>();
    expect(orderSummary.map(({ reference }) => reference)).toEqual([undefined, 'some']);
  });

  test.each([
    ['reference', ''],
    ['reference', 'x'.repeat(101)],
    ['reference', 7],
    ['reference', null],
    ['tag', 'a\u0000'],
    ['tag', '\ud800'],
    ['tag', ['a']],
    ['uniqueReference', 'yes'],
  ])('%s: %j is refused, by sends, batches, entries and quotes', async (field, value) => {
    const body = { ...GOOD, [field]: value };
    for (const reply of [
      await account.send(body),
      await account.post('/v1/message/quote', body),
      await batch([GOOD], { [field]: value }),
    ]) {
      expect(faultsOf(expectProblem(reply, 400, 'invalid_request'))).toEqual([{ field, code: 'invalid_request' }]);
    }
    if (field === 'uniqueReference') return;
    const entry = expectProblem(await batch([GOOD, body], {}), 400, 'invalid_request');
    expect(faultsOf(entry)).toEqual([{ field, arrayPosition: 1, code: 'invalid_request' }]);
  });

  test('change no price', async () => {
    const options = { reference: 'r', tag: 't', uniqueReference: true };
    expect((await account.post('/v1/message/quote', { ...GOOD, ...options })).json).toEqual(
      (await account.post('/v1/message/quote', GOOD)).json,
    );
    expect((await account.post('/v1/message/quote', { messages: [GOOD], ...options })).status).toBe(200);
  });
});

describe('a unique reference', () => {
  test('is accepted once for an account, and costs nothing when it is refused', async () => {
    const body = { ...GOOD, reference: 'once', uniqueReference: true };
    expect((await account.send(body)).status).toBe(201);
    const before = await account.standing();
    const problem = expectProblem(await account.send(body), 409, 'reference_used');
    expect(faultsOf(problem)).toEqual([{ field: 'reference', code: 'reference_used' }]);
    expect(await account.standing()).toEqual(before);
    const other = await gateway.account();
    expect((await other.send(body)).status).toBe(201);
  });

  test('does not hinder a send that does not ask for it', async () => {
    await account.send({ ...GOOD, reference: 'free' });
    expect((await account.send({ ...GOOD, reference: 'free' })).status).toBe(201);
    expectProblem(await account.send({ ...GOOD, reference: 'free', uniqueReference: true }), 409, 'reference_used');
  });

  test('of ten simultaneous sends is accepted once, also through two gateways', async () => {
    const second = await TestGateway.start({ beside: gateway });
    const body = { ...GOOD, reference: 'race', uniqueReference: true };
    const sends = Array.from({ length: 10 }, (_, n) => (n % 2 ? account : account.at(second)).send(body));
    const statuses = (await Promise.all(sends)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, ...Array<number>(9).fill(409)]);
    await second.close();
  });

  test('refuses a batch as a whole, and names the entries', async () => {
    await account.send({ ...GOOD, reference: 'taken' });
    const entries = [{ ...GOOD, reference: 'new' }, GOOD, { ...GOOD, reference: 'taken' }];
    const before = await account.standing();
    const used = expectProblem(await batch(entries, { uniqueReference: true }), 409, 'reference_used');
    expect(faultsOf(used)).toEqual([{ field: 'reference', arrayPosition: 2, code: 'reference_used' }]);
    const twice = [...entries.slice(0, 2), { ...GOOD, reference: 'new' }];
    const repeated = expectProblem(await batch(twice, { uniqueReference: true }), 409, 'reference_used');
    expect(faultsOf(repeated)).toEqual([{ field: 'reference', arrayPosition: 2, code: 'reference_used' }]);
    // Whoever mends only the others would be refused once more.
    const faulty = [...twice, { ...GOOD, reference: 5 }, null, { ...GOOD, reference: 'new', message: 5 }];
    const mixed = expectProblem(await batch(faulty, { uniqueReference: true }), 400, 'invalid_request');
    expect(faultsOf(mixed)).toEqual([
      { field: 'reference', arrayPosition: 2, code: 'reference_used' },
      { field: 'reference', arrayPosition: 3, code: 'invalid_request' },
      { field: 'messages', arrayPosition: 4, code: 'invalid_request' },
      { field: 'message', arrayPosition: 5, code: 'invalid_request' },
      { field: 'reference', arrayPosition: 5, code: 'reference_used' },
    ]);
    expect(await account.standing()).toEqual(before);
  });

  test('of a batch is one for all its entries', async () => {
    const options = { reference: 'campaign', uniqueReference: true };
    expect((await batch([GOOD, GOOD], options)).status).toBe(201);
    expectProblem(await batch([GOOD, GOOD], options), 409, 'reference_used');
  });

  test('needs a reference', async () => {
    const problem = expectProblem(await account.send({ ...GOOD, uniqueReference: true }), 400, 'invalid_request');
    expect(problem.detail).toBe('uniqueReference needs a reference.');
  });

  test('of a repeat with the same Idempotency-Key replays, with the reference in the answer', async () => {
    const body = { ...GOOD, reference: 'keyed', tag: 'k', uniqueReference: true };
    const key = { 'Idempotency-Key': 'unique' };
    const first = await account.send(body, key);
    const again = await account.send(body, key);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.json).toEqual(first.json);
    expectProblem(await account.send({ ...body, tag: 'l' }, key), 422, 'idempotency_key_reused');
    expectProblem(await account.send({ ...body, uniqueReference: false }, key), 422, 'idempotency_key_reused');
    expectProblem(await account.send(GOOD, key), 422, 'idempotency_key_reused');
  });
});
