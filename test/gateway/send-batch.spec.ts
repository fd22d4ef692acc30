import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type MessageOrderList, type SendBatchResult, UUID } from '../support/contract.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account({ deposit: '1000' });
});
afterAll(() => gateway.close());

const GOOD = { recipient: RECIPIENT, message: 'hi' };

/** Sends a batch that must be refused, and holds that it left no trace. */
async function refused(messages: unknown, status: number, code: string) {
  const before = await account.standing();
  const problem = expectProblem(await account.sendBatch(messages), status, code);
  expect(await account.standing()).toEqual(before);
  return problem;
}

describe('POST /v1/message/send-batch', () => {
  test('answers 201 with the fields of the contract and the id of the batch, an entry for each message', async () => {
    const reply = await account.sendBatch([
      { recipient: '+46 70-010 02 00', message: 'one' },
      { recipient: '0049 170 1234567', message: 'two'.repeat(100) },
      { recipient: '+33612345678', message: 'free' },
    ]);
    expect(reply.status).toBe(201);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reply.json).toStrictEqual({
      success: true,
      message: '3 messages accepted',
      balanceDeduction: '0.1098',
      currency: 'EUR',
      batchId: expect.stringMatching(UUID),
      orderSummary: [
        { arrayPosition: 0, amount: 0.075, recipient: '+46 70-010 02 00', messageId: expect.stringMatching(UUID) },
        { arrayPosition: 1, amount: 0.0348, recipient: '0049 170 1234567', messageId: expect.stringMatching(UUID) },
        { arrayPosition: 2, amount: 0, recipient: '+33612345678', messageId: expect.stringMatching(UUID) },
      ],
    });
    expect(reply.text).toContain('"amount":0.0348,');
  });

  test('a batch of one', async () => {
    expect((await account.sendBatch([GOOD])).json).toMatchObject({
      message: '1 message accepted',
      balanceDeduction: '0.075',
    });
  });

  test('may repeat a recipient and a text; each is a message of its own', async () => {
    const { orderSummary } = (await account.sendBatch([GOOD, GOOD, GOOD])).as<SendBatchResult>();
    expect(new Set(orderSummary.map(({ messageId }) => messageId)).size).toBe(3);
  });

  test('its orders stand in the list newest first, the last entry on top', async () => {
    const texts = ['first', 'second', 'third'];
    const sent = (await account.sendBatch(texts.map((message) => ({ ...GOOD, message })))).as<SendBatchResult>();
    const { data } = (await account.get('/v1/account/messages?limit=3')).as<MessageOrderList>();
    expect(data.map(({ message }) => message)).toEqual(texts.toReversed());
    expect(data.map(({ message_uuid }) => message_uuid)).toEqual(
      sent.orderSummary.map(({ messageId }) => messageId).toReversed(),
    );
  });

  test('takes 1,000 entries, and deducts the exact sum', async () => {
    const before = await account.standing();
    const messages = Array.from({ length: 1_000 }, (_, n) => ({
      recipient: `+4917012${10_000 + n}`,
      message: `message ${n}`,
    }));
    const { orderSummary, balanceDeduction } = (await account.sendBatch(messages)).as<SendBatchResult>();
    expect(balanceDeduction).toBe('17.4');
    expect(orderSummary.map(({ arrayPosition }) => arrayPosition)).toEqual(messages.map((_, n) => n));
    expect(orderSummary.map(({ recipient }) => recipient)).toEqual(messages.map(({ recipient }) => recipient));
    const after = await account.standing();
    expect(after.messages).toBe(before.messages + 1_000);
    expect(after.balance).toBeCloseTo(before.balance - 17.4, 9);
  });

  test('refuses 1,001 entries', async () => {
    const problem = await refused(Array(1_001).fill(GOOD), 400, 'batch_too_large');
    expect(problem.detail).toMatch(/1001.*1000/);
    expect(faultsOf(problem)).toEqual([{ field: 'messages', code: 'batch_too_large' }]);
  });

  test('refuses a million entries without looking at them', async () => {
    await refused(Array(1_000_000).fill(0), 400, 'batch_too_large');
  });

  test.each([
    ['missing', undefined, 'invalid_request', 'messages is required.'],
    ['null', null, 'invalid_request', 'messages must be an array.'],
    ['an object', { 0: GOOD }, 'invalid_request', 'messages must be an array.'],
    ['a string', 'hi', 'invalid_request', 'messages must be an array.'],
    ['empty', [], 'batch_empty', 'messages must have at least one entry.'],
  ])('refuses messages that are %s', async (_what, messages, code, detail) => {
    const problem = await refused(messages, 400, code);
    expect(problem.errors).toEqual([{ field: 'messages', code, detail }]);
  });

  test('one bad entry refuses the batch', async () => {
    const problem = await refused([GOOD, GOOD, { ...GOOD, message: '' }], 400, 'message_empty');
    expect(faultsOf(problem)).toEqual([{ field: 'message', arrayPosition: 2, code: 'message_empty' }]);
  });

  test('every bad entry is named with its position and every field at fault, whatever the fault', async () => {
    const problem = await refused(
      [
        GOOD,
        { recipient: 'me', message: 'hi' },
        { recipient: RECIPIENT },
        null,
        { recipient: 7, message: null },
        GOOD,
        [GOOD],
        'text',
        { recipient: '+999700100200', message: ' ' },
        { recipient: '0700', message: 'x'.repeat(39_016) },
        {},
        { recipient: RECIPIENT, message: 'a\u0000' },
      ],
      400,
      'invalid_request',
    );
    expect(faultsOf(problem)).toEqual([
      { arrayPosition: 1, field: 'recipient', code: 'recipient_invalid' },
      { arrayPosition: 2, field: 'message', code: 'invalid_request' },
      { arrayPosition: 3, field: 'messages', code: 'invalid_request' },
      { arrayPosition: 4, field: 'recipient', code: 'invalid_request' },
      { arrayPosition: 4, field: 'message', code: 'invalid_request' },
      { arrayPosition: 6, field: 'messages', code: 'invalid_request' },
      { arrayPosition: 7, field: 'messages', code: 'invalid_request' },
      { arrayPosition: 8, field: 'recipient', code: 'no_rate' },
      { arrayPosition: 8, field: 'message', code: 'message_empty' },
      { arrayPosition: 9, field: 'recipient', code: 'recipient_invalid' },
      { arrayPosition: 9, field: 'message', code: 'message_too_long' },
      { arrayPosition: 10, field: 'recipient', code: 'invalid_request' },
      { arrayPosition: 10, field: 'message', code: 'invalid_request' },
      { arrayPosition: 11, field: 'message', code: 'message_invalid_character' },
    ]);
    expect(problem.detail).toBe('14 faults; see errors.');
  });

  test('an entry with a fault takes no option of the batch from the others', async () => {
    const typographic = { ...GOOD, message: `It’s ${'x'.repeat(100)}`, maxSegments: 1 };
    const messages = [typographic, { ...GOOD, mesage: 'hi' }, { ...GOOD, message: 'x'.repeat(161) }, null];
    const options = { smartEncoding: true, maxSegments: 1 };
    const reply = await account.post('/v1/message/send-batch', { messages, ...options });
    expect(faultsOf(expectProblem(reply, 400, 'invalid_request'))).toEqual([
      { arrayPosition: 1, field: 'mesage', code: 'unknown_field' },
      { arrayPosition: 2, field: 'maxSegments', code: 'too_many_segments' },
      { arrayPosition: 3, field: 'messages', code: 'invalid_request' },
    ]);
  });

  test('destinations without a price answer 422 and are named; beside other faults the answer is 400', async () => {
    const unpriced = { recipient: '+999700100200', message: 'hi' };
    const problem = await refused([unpriced, GOOD, unpriced], 422, 'no_rate');
    expect(faultsOf(problem)).toEqual([
      { field: 'recipient', arrayPosition: 0, code: 'no_rate' },
      { field: 'recipient', arrayPosition: 2, code: 'no_rate' },
    ]);
    const mixed = await refused([unpriced, { recipient: 'me', message: 'hi' }], 400, 'invalid_request');
    expect(faultsOf(mixed).map(({ code }) => code)).toEqual(['no_rate', 'recipient_invalid']);
  });

  test('money for all but one of its messages buys none of them', async () => {
    const poor = await gateway.account({ deposit: '0.2' });
    const problem = expectProblem(await poor.sendBatch([GOOD, GOOD, GOOD]), 402, 'insufficient_balance');
    expect(problem).toMatchObject({ balance: 0.2, required: 0.225, currency: 'EUR' });
    expect(problem.errors).toBeUndefined();
    expect(await poor.standing()).toEqual({ balance: 0.2, messages: 0 });
    expect((await poor.sendBatch([GOOD, GOOD])).status).toBe(201);
    expect(await poor.standing()).toEqual({ balance: 0.05, messages: 2 });
  });

  test('answers 413 to more than 16 MiB', async () => {
    const messages = Array.from({ length: 500 }, () => ({ ...GOOD, padding: 'x'.repeat(36_000) }));
    expectProblem(await account.sendBatch(messages), 413, 'body_too_large');
  });
});
