import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { changeAccount } from '#persistence';
import { UUID } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

const GOOD = { recipient: RECIPIENT, message: 'hi' };
const LONG = { recipient: RECIPIENT, message: 'x'.repeat(161) };
let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
});
afterAll(() => gateway.close());

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const batch = (messages: unknown, options: object, headers: Record<string, string> = {}) =>
  account.post('/v1/message/send-batch', { messages, ...options }, headers);
const cancel = (id: string, by = account) => by.request('POST', `/v1/message/${id}/cancel`);
const cancelBatch = (id: string, by = account) => by.request('POST', `/v1/message/batch/${id}/cancel`);
const shown = async (id: string) => (await account.get(`/v1/message/${id}`)).as<Record<string, unknown>>();

async function sentId(body: object): Promise<string> {
  const reply = await account.send(body);
  expect(reply.status).toBe(201);
  return reply.as<{ messageId: string }>().messageId;
}

/** Nothing of the account changes by what `send` does. */
async function expectNothingCharged(send: () => Promise<unknown>): Promise<void> {
  const before = await account.standing();
  await send();
  expect(await account.standing()).toEqual(before);
}

describe('a message that is sent later', () => {
  test('is charged at once, and is scheduled everywhere it is shown', async () => {
    const { balance } = await account.standing();
    const sendAt = inDays(1);
    const reply = await account.send({ ...GOOD, sendAt });
    expect(reply.json).toStrictEqual({
      success: true,
      messageId: expect.stringMatching(UUID),
      balanceDeduction: '0.075',
      currency: 'EUR',
      sendAt,
    });
    expect((await account.standing()).balance).toBeCloseTo(balance - 0.075, 6);
    const { messageId } = reply.as<{ messageId: string }>();
    const message = await shown(messageId);
    expect(message).toMatchObject({ status: 'scheduled', sendAt, sender: null });
    expect(message).toMatchObject({ history: [{ status: 'scheduled' }], segmentDetails: [{ status: 'scheduled' }] });
    const { data } = (await account.get('/v1/account/messages?status=scheduled')).as<{ data: object[] }>();
    expect(data[0]).toMatchObject({ message_uuid: messageId, external_status: 'scheduled', send_at: sendAt });
  });

  test.each([
    ['2026-12-24T18:00:00', 'without a zone'],
    ['2026-12-24', 'a day'],
    ['2026-02-30T10:00:00Z', 'on a day that does not exist'],
    ['tomorrow', 'a word'],
    [1_800_000_000, 'a number'],
  ])('is refused for %j, %s', async (sendAt, _what) => {
    await expectNothingCharged(async () => {
      const reply = await account.send({ ...GOOD, sendAt });
      expect(faultsOf(expectProblem(reply, 400, 'invalid_request'))).toMatchObject([{ field: 'sendAt' }]);
    });
  });

  test.each([
    ['a time that has passed', () => inDays(-0.01)],
    ['a time more than 30 days ahead', () => inDays(30.01)],
  ])('is refused for %s', async (_name, sendAt) => {
    await expectNothingCharged(async () => {
      const reply = await account.send({ ...GOOD, sendAt: sendAt() });
      expectProblem(reply, 400, 'send_at_invalid');
      expectProblem(await batch([GOOD, { ...GOOD, sendAt: sendAt() }], {}), 400, 'send_at_invalid');
    });
  });

  test('is answered by its idempotency key as it was, also when its time has passed', async () => {
    const sendAt = new Date(Date.now() + 1_500).toISOString();
    const key = { 'Idempotency-Key': 'later-1' };
    const first = await account.send({ ...GOOD, sendAt }, key);
    expect(first.status).toBe(201);
    await eventually(async () => Date.now() > Date.parse(sendAt));
    const again = await account.send({ ...GOOD, sendAt }, key);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.json).toEqual(first.json);
    // The same moment, written in another way.
    const written = sendAt.replace('Z', '+00:00');
    expect((await account.send({ ...GOOD, sendAt: written }, key)).json).toEqual(first.json);
    expectProblem(await account.send(GOOD, key), 422, 'idempotency_key_reused');
  });

  test('has its validity from then on', async () => {
    const sendAt = inDays(2);
    const message = await shown(await sentId({ ...GOOD, sendAt, validitySeconds: 600 }));
    expect(message.validUntil).toBe(new Date(Date.parse(sendAt) + 600_000).toISOString());
    for (const validitySeconds of [59, 604_801, 60.5, '60']) {
      expectProblem(await account.send({ ...GOOD, validitySeconds }), 400, 'invalid_request');
    }
  });
});

describe('options of a batch', () => {
  test('are for all entries that have none of their own', async () => {
    const [all, own] = [inDays(1), inDays(2)];
    const reply = await batch([GOOD, { ...GOOD, sendAt: own, validitySeconds: 60 }], {
      sendAt: all,
      validitySeconds: 600,
      maxSegments: 1,
    });
    const { orderSummary } = reply.as<{ orderSummary: { messageId: string; sendAt: string }[] }>();
    expect(orderSummary.map(({ sendAt }) => sendAt)).toEqual([all, own]);
    const validities = await Promise.all(
      orderSummary.map(async ({ messageId, sendAt }) => {
        const { validUntil } = await shown(messageId);
        return Date.parse(String(validUntil)) - Date.parse(sendAt);
      }),
    );
    expect(validities).toEqual([600_000, 60_000]);
    const refused = await batch([GOOD, LONG, { ...LONG, maxSegments: 2 }], { maxSegments: 1 });
    expect(faultsOf(expectProblem(refused, 422, 'too_many_segments'))).toMatchObject([
      { arrayPosition: 1, field: 'maxSegments' },
    ]);
  });
});

describe('a limit of the client', () => {
  test('on the price refuses a message that costs more, and takes one that costs as much', async () => {
    await expectNothingCharged(async () => {
      const reply = await account.send({ ...LONG, maxPrice: 0.149999 });
      expect(expectProblem(reply, 422, 'price_above_max').errors).toMatchObject([
        { field: 'maxPrice', detail: 'The message costs 0.15, more than the maxPrice of 0.149999.' },
      ]);
    });
    expect((await account.send({ ...LONG, maxPrice: 0.15 })).status).toBe(201);
    for (const maxPrice of [-1, 0.0000001, '0.1', null]) {
      expectProblem(await account.send({ ...GOOD, maxPrice }), 400, 'invalid_request');
    }
    const { detail } = expectProblem(await account.send({ ...GOOD, maxPrice: 1e15 }), 400, 'invalid_request');
    expect(detail).toBe('maxPrice must be a number from 0 to 9,223,372,036,854 with at most 6 decimals.');
  });

  test('on the segments refuses a message that has more', async () => {
    await expectNothingCharged(async () => {
      expectProblem(await account.send({ ...LONG, maxSegments: 1 }), 422, 'too_many_segments');
      expectProblem(await account.post('/v1/message/quote', { ...LONG, maxSegments: 1 }), 422, 'too_many_segments');
    });
    expect((await account.send({ ...LONG, maxSegments: 2 })).status).toBe(201);
    for (const maxSegments of [0, 1.5, null]) {
      const refused = await account.send({ ...LONG, maxSegments });
      expect(faultsOf(expectProblem(refused, 400, 'invalid_request'))).toHaveLength(1);
    }
  });

  test('is named with all others that are exceeded', async () => {
    const reply = await account.send({ ...LONG, maxSegments: 1, maxPrice: 0, sender: 'Nobody', sendAt: inDays(31) });
    const problem = expectProblem(reply, 400, 'invalid_request');
    expect(faultsOf(problem).map(({ field }) => field)).toEqual(['maxPrice', 'maxSegments', 'sendAt', 'sender']);
  });
});

describe('a sender', () => {
  test('is taken if the operator allows it, or if it is the account’s own', async () => {
    const { accountId } = account;
    expectProblem(await account.send({ ...GOOD, sender: 'Acme' }), 422, 'sender_not_allowed');
    await changeAccount(gateway.database, accountId, { sender: 'Own', allowedSenders: ['Acme', '+46700100200'] });
    await eventually(async () => (await account.send({ ...GOOD, sender: 'Acme' })).status === 201);
    expect((await account.send({ ...GOOD, sender: 'Own' })).status).toBe(201);
    expect(await shown(await sentId({ ...GOOD, sender: '+46700100200' }))).toMatchObject({ sender: '+46700100200' });
    expectProblem(await account.send({ ...GOOD, sender: 'acme' }), 422, 'sender_not_allowed');
    for (const sender of ['', 'x'.repeat(17)]) {
      expect(faultsOf(expectProblem(await account.send({ ...GOOD, sender }), 400, 'invalid_request'))).toHaveLength(1);
    }
  });
});

describe('smart encoding', () => {
  const TYPOGRAPHIC = { recipient: RECIPIENT, message: '“It’s here” – really…' };

  test('makes a typographic text standard, and says what it replaced', async () => {
    const reply = await account.send({ ...TYPOGRAPHIC, smartEncoding: true });
    const { messageId, replacedCharacters } = reply.as<{ messageId: string; replacedCharacters: object[] }>();
    expect(replacedCharacters).toEqual([
      { character: '“', codePoint: 'U+201C', replacement: '"', count: 1 },
      { character: '’', codePoint: 'U+2019', replacement: "'", count: 1 },
      { character: '”', codePoint: 'U+201D', replacement: '"', count: 1 },
      { character: '–', codePoint: 'U+2013', replacement: '-', count: 1 },
      { character: '…', codePoint: 'U+2026', replacement: '...', count: 1 },
    ]);
    expect(await shown(messageId)).toMatchObject({ message: '"It\'s here" - really...', encoding: 'standard' });
  });

  test('changes nothing unless it is asked for, nor if the text stays extended', async () => {
    expect(await shown(await sentId(TYPOGRAPHIC))).toMatchObject({ ...TYPOGRAPHIC, encoding: 'extended' });
    const message = '“Ég kem” – 5 €';
    const reply = await account.send({ ...TYPOGRAPHIC, message, smartEncoding: true });
    const { messageId, replacedCharacters } = reply.as<{ messageId: string; replacedCharacters: object[] }>();
    expect(replacedCharacters).toEqual([]);
    expect(await shown(messageId)).toMatchObject({ message });
  });

  test('is quoted and repeated as it is sent', async () => {
    const body = { ...TYPOGRAPHIC, smartEncoding: true };
    const key = { 'Idempotency-Key': 'smart-1' };
    const first = await account.send(body, key);
    expect((await account.send(body, key)).json).toEqual(first.json);
    const { replacedCharacters } = first.as<{ replacedCharacters: object[] }>();
    const quote = (await account.post('/v1/message/quote', body)).json;
    expect(quote).toMatchObject({ encoding: 'standard', replacedCharacters });
    const many = await batch([body, { ...GOOD, smartEncoding: true }, TYPOGRAPHIC], {});
    const { orderSummary } = many.as<{ orderSummary: { replacedCharacters?: object[] }[] }>();
    expect(orderSummary.map((entry) => entry.replacedCharacters)).toEqual([replacedCharacters, [], undefined]);
  });
});

describe('a message that is canceled', () => {
  test('costs nothing, and canceling it again answers the same', async () => {
    const before = await account.standing();
    const messageId = await sentId({ ...GOOD, sendAt: inDays(1) });
    const first = await cancel(messageId);
    expect(first.status).toBe(200);
    expect(first.json).toStrictEqual({
      success: true,
      messageId,
      status: 'canceled',
      balanceReleased: '0.075',
      currency: 'EUR',
    });
    expect((await cancel(messageId)).json).toEqual(first.json);
    expect((await account.standing()).balance).toBe(before.balance);
    const message = await shown(messageId);
    expect(message).toMatchObject({ status: 'canceled', amount: 0, price: 0.075, reason: null });
    expect(message.history).toMatchObject([{ status: 'scheduled' }, { status: 'canceled' }]);
    const { data } = (await account.get('/v1/account/messages?status=canceled')).as<{ data: object[] }>();
    expect(data[0]).toMatchObject({ message_uuid: messageId, amount: 0 });
  });

  test('of another account is not there, like one that never was', async () => {
    const messageId = await sentId({ ...GOOD, sendAt: inDays(1) });
    const stranger = await gateway.account();
    const foreign = await cancel(messageId, stranger);
    expectProblem(foreign, 404, 'not_found');
    const unknown = await cancel('019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11', stranger);
    expectProblem(unknown, 404, 'not_found');
    expect(unknown.as<{ detail: string }>().detail).toBe(foreign.as<{ detail: string }>().detail);
    expectProblem(await cancel('nonsense'), 404, 'not_found');
    expect(await shown(messageId)).toMatchObject({ status: 'scheduled' });
  });

  test('needs a key that may send', async () => {
    const reader = await account.withKey({ scopes: ['read'] });
    expectProblem(await cancel(await sentId({ ...GOOD, sendAt: inDays(1) }), reader), 403, 'insufficient_scope');
  });
});

describe('a batch that is canceled', () => {
  test('is named by the id of its answer, which a repeat of the batch has as well', async () => {
    const key = { 'Idempotency-Key': 'batch-1' };
    const before = await account.standing();
    const first = await batch([GOOD, LONG], { sendAt: inDays(1) }, key);
    const { batchId, orderSummary } = first.as<{ batchId: string; orderSummary: { messageId: string }[] }>();
    expect(batchId).toMatch(UUID);
    expect((await batch([GOOD, LONG], { sendAt: inDays(1) }, { 'Idempotency-Key': 'batch-2' })).status).toBe(201);
    await cancel(orderSummary[0]?.messageId ?? '');
    const canceled = await cancelBatch(batchId);
    expect(canceled.json).toStrictEqual({
      success: true,
      batchId,
      message: '2 of 2 messages canceled',
      balanceReleased: '0.225',
      currency: 'EUR',
      orderSummary: orderSummary.map(({ messageId }, arrayPosition) => ({
        arrayPosition,
        recipient: RECIPIENT,
        messageId,
        status: 'canceled',
      })),
    });
    expect((await cancelBatch(batchId)).json).toEqual(canceled.json);
    expect((await account.standing()).balance).toBeCloseTo(before.balance - 0.225, 6);
    expectProblem(await cancelBatch(batchId, await gateway.account()), 404, 'not_found');
    expectProblem(await cancelBatch(orderSummary[0]?.messageId ?? ''), 404, 'not_found');
  });

  test('is answered with the same id when it is repeated', async () => {
    const key = { 'Idempotency-Key': 'batch-3' };
    const first = await batch([GOOD], {}, key);
    const again = await batch([GOOD], {}, key);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.json).toEqual(first.json);
  });
});
