import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { SendResult } from '../support/contract.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account({ deposit: '0.01' });
});
// Whatever is asked, nothing is stored and nothing charged; nor is money needed to ask.
afterEach(async () => expect(await account.standing()).toEqual({ balance: 0.01, messages: 0 }));
afterAll(() => gateway.close());

const quote = (body: unknown) => account.post('/v1/message/quote', body);

describe('POST /v1/message/quote', () => {
  test('says what a standard message would be and cost', async () => {
    const reply = await quote({ recipient: '+46 70-010 02 00', message: 'x'.repeat(161) });
    expect(reply.status).toBe(200);
    expect(reply.json).toStrictEqual({
      recipient: '+46 70-010 02 00',
      encoding: 'standard',
      offendingCharacters: [],
      length: 161,
      segments: 2,
      unitPrice: 0.075,
      price: 0.15,
      currency: 'EUR',
    });
  });

  test('names the characters that make a message extended, and where they stand', async () => {
    expect((await quote({ recipient: RECIPIENT, message: 'Price: 5 € 👍 [ok]' })).json).toMatchObject({
      encoding: 'extended',
      length: 18,
      segments: 1,
      offendingCharacters: [
        { character: '€', codePoint: 'U+20AC', position: 9 },
        { character: '👍', codePoint: 'U+1F44D', position: 11 },
        { character: '[', codePoint: 'U+005B', position: 14 },
        { character: ']', codePoint: 'U+005D', position: 17 },
      ],
    });
  });

  test('prices a batch, each entry and in sum', async () => {
    const entry = { encoding: 'standard', offendingCharacters: [], length: 2, segments: 1 };
    const reply = await quote({
      messages: [
        { recipient: RECIPIENT, message: 'hi' },
        { recipient: '+491701234567', message: 'ho' },
      ],
    });
    expect(reply.json).toStrictEqual({
      segments: 2,
      price: 0.0924,
      currency: 'EUR',
      messages: [
        { arrayPosition: 0, recipient: RECIPIENT, ...entry, unitPrice: 0.075, price: 0.075 },
        { arrayPosition: 1, recipient: '+491701234567', ...entry, unitPrice: 0.0174, price: 0.0174 },
      ],
    });
  });

  test('names the same characters of a text in a batch as alone', async () => {
    const texts = ['5 € {ok} "\\" \u{1f600}~', 'plain', '€'.repeat(200), '\u2028é\u{1f680}'];
    const alone = await Promise.all(texts.map((message) => quote({ recipient: RECIPIENT, message })));
    const messages = texts.map((message) => ({ recipient: RECIPIENT, message }));
    const offenders = (from: unknown) => (from as { offendingCharacters: unknown }).offendingCharacters;
    const inBatch = (await quote({ messages })).as<{ messages: unknown[] }>().messages.map(offenders);
    expect(inBatch).toEqual(alone.map(({ json }) => offenders(json)));
    expect(inBatch.map((found) => (found as unknown[]).length)).toEqual([6, 0, 100, 3]);
  });

  test('is what the send then costs', async () => {
    const rich = await gateway.account();
    for (const message of ['hi', 'é'.repeat(200), 'x'.repeat(1_000), `${'👍'.repeat(63)}`]) {
      const body = { recipient: '+491701234567', message };
      const { price } = (await rich.post('/v1/message/quote', body)).as<{ price: number }>();
      expect((await rich.send(body)).as<SendResult>().balanceDeduction).toBe(String(price));
    }
  });

  test.each([
    ['no field', {}, 'invalid_request', 400],
    ['an empty message', { recipient: RECIPIENT, message: '' }, 'message_empty', 400],
    ['a bad recipient', { recipient: 'me', message: 'hi' }, 'recipient_invalid', 400],
    ['an empty batch', { messages: [] }, 'batch_empty', 400],
    ['a batch that is null', { messages: null }, 'invalid_request', 400],
    ['a batch that is too large', { messages: Array(1_001).fill({}) }, 'batch_too_large', 400],
    ['a destination without a price', { recipient: '+999700100200', message: 'hi' }, 'no_rate', 422],
  ])('refuses %s like a send', async (_what, body, code, status) => {
    expectProblem(await quote(body), status, code);
  });

  test('names every bad entry of a batch', async () => {
    const messages = [
      { recipient: 'me', message: 'hi' },
      null,
      { recipient: RECIPIENT, message: 'hi' },
      { message: 'hi' },
    ];
    expect(faultsOf(expectProblem(await quote({ messages }), 400, 'invalid_request'))).toEqual([
      { arrayPosition: 0, field: 'recipient', code: 'recipient_invalid' },
      { arrayPosition: 1, field: 'messages', code: 'invalid_request' },
      { arrayPosition: 3, field: 'recipient', code: 'invalid_request' },
    ]);
  });
});
