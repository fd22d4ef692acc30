import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let account: TestAccount;
let before: unknown;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
});
beforeEach(async () => {
  before = await account.standing();
});
// Whatever a refusal says, it has stored nothing and charged nothing.
afterEach(async () => expect(await account.standing()).toEqual(before));
afterAll(() => gateway.close());

const json = { 'Content-Type': 'application/json' };
const raw = (body: string | Buffer, headers: Record<string, string> = json) =>
  account.request('POST', '/v1/message/send', { body, headers });

describe('POST /v1/message/send answers 400', () => {
  test.each([
    ['no recipient', { message: 'hi' }, [{ field: 'recipient', code: 'invalid_request' }]],
    ['no message', { recipient: RECIPIENT }, [{ field: 'message', code: 'invalid_request' }]],
    ['a recipient that is null', { recipient: null, message: 'hi' }, [{ field: 'recipient', code: 'invalid_request' }]],
    [
      'a recipient that is a number',
      { recipient: 46700100200, message: 'hi' },
      [{ field: 'recipient', code: 'invalid_request' }],
    ],
    [
      'a recipient that is an array',
      { recipient: [RECIPIENT], message: 'hi' },
      [{ field: 'recipient', code: 'invalid_request' }],
    ],
    [
      'a message that is a number',
      { recipient: RECIPIENT, message: 7 },
      [{ field: 'message', code: 'invalid_request' }],
    ],
    [
      'a message that is true',
      { recipient: RECIPIENT, message: true },
      [{ field: 'message', code: 'invalid_request' }],
    ],
    [
      'a message that is an object',
      { recipient: RECIPIENT, message: {} },
      [{ field: 'message', code: 'invalid_request' }],
    ],
    [
      'neither field',
      {},
      [
        { field: 'recipient', code: 'invalid_request' },
        { field: 'message', code: 'invalid_request' },
      ],
    ],
    ['an empty message', { recipient: RECIPIENT, message: '' }, [{ field: 'message', code: 'message_empty' }]],
    [
      'a message of white space',
      { recipient: RECIPIENT, message: ' \r\n\u00a0\u2003' },
      [{ field: 'message', code: 'message_empty' }],
    ],
    [
      'a message with NUL',
      { recipient: RECIPIENT, message: 'a\u0000b' },
      [{ field: 'message', code: 'message_invalid_character' }],
    ],
    [
      'a message with a tab',
      { recipient: RECIPIENT, message: 'a\tb' },
      [{ field: 'message', code: 'message_invalid_character' }],
    ],
    [
      'a message with half a surrogate pair',
      { recipient: RECIPIENT, message: 'a\ud83db' },
      [{ field: 'message', code: 'message_invalid_character' }],
    ],
    ['an empty recipient', { recipient: '', message: 'hi' }, [{ field: 'recipient', code: 'recipient_invalid' }]],
    [
      'a recipient of 6 digits',
      { recipient: '+467001', message: 'hi' },
      [{ field: 'recipient', code: 'recipient_invalid' }],
    ],
    [
      'a recipient of 16 digits',
      { recipient: '+4670010020030040', message: 'hi' },
      [{ field: 'recipient', code: 'recipient_invalid' }],
    ],
    [
      'a national number',
      { recipient: '0700100200', message: 'hi' },
      [{ field: 'recipient', code: 'recipient_invalid' }],
    ],
    [
      'a recipient with letters',
      { recipient: '+46700CALLME', message: 'hi' },
      [{ field: 'recipient', code: 'recipient_invalid' }],
    ],
    [
      'two plus signs',
      { recipient: '++46700100200', message: 'hi' },
      [{ field: 'recipient', code: 'recipient_invalid' }],
    ],
    [
      'digits of another script',
      { recipient: '+٤٦٧٠٠١٠٠٢٠٠', message: 'hi' },
      [{ field: 'recipient', code: 'recipient_invalid' }],
    ],
    [
      'both fields bad',
      { recipient: 'me', message: ' ' },
      [
        { field: 'recipient', code: 'recipient_invalid' },
        { field: 'message', code: 'message_empty' },
      ],
    ],
  ])('to %s, and names the field', async (_what, body, faults) => {
    const reply = await account.send(body);
    const codes = new Set(faults.map(({ code }) => code));
    const problem = expectProblem(reply, 400, codes.size === 1 ? [...codes].join() : 'invalid_request');
    expect(faultsOf(problem)).toEqual(faults);
  });

  test.each([
    ['39,016 standard characters', 'x'.repeat(39_016), /39,016 characters in 256 segments.*39,015/],
    ['16,066 extended units', 'é'.repeat(16_066), /16,066 UTF-16 code units in 256 segments.*16,065/],
  ])('to %s, with the counts', async (_what, message, sentence) => {
    const problem = expectProblem(await account.send({ recipient: RECIPIENT, message }), 400, 'message_too_long');
    expect(problem.detail).toMatch(sentence);
    expect(faultsOf(problem)).toEqual([{ field: 'message', code: 'message_too_long' }]);
  });

  test.each([['null'], ['[]'], ['[{"recipient":"+46700100200","message":"hi"}]'], ['7'], ['"text"'], ['true']])(
    'to the body %s, which is JSON but no object',
    async (body) => {
      expectProblem(await raw(body), 400, 'invalid_request');
    },
  );

  test.each([
    ['an empty one', ''],
    ['a torn one', '{"recipient":"+467001'],
    ['a trailing comma', '{"recipient":"+46700100200","message":"hi",}'],
    ['single quotes', "{'recipient':'+46700100200'}"],
    ['a form', 'recipient=%2B46700100200&message=hi'],
    ['two documents', '{} {}'],
    ['bytes that are not UTF-8', Buffer.from('{"recipient":"+46700100200","message":"caf\xe9"}', 'latin1')],
    ['UTF-16', Buffer.from('{"recipient":"+46700100200","message":"hi"}', 'utf16le')],
  ])('to a body that is not JSON in UTF-8: %s', async (_what, body) => {
    expectProblem(await raw(body), 400, 'malformed_json');
  });

  test('to a field nested 1,500 deep, by its name', async () => {
    const deep = `${'['.repeat(1_500)}${']'.repeat(1_500)}`;
    const problem = expectProblem(await raw(`{"recipient":${deep},"message":"hi"}`), 400, 'invalid_request');
    expect(faultsOf(problem)).toEqual([{ field: 'recipient', code: 'invalid_request' }]);
  });

  test('to a field nested 100,000 deep, before it is parsed, and lives on', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const problem = expectProblem(await raw(`{"recipient":${deep},"message":"hi"}`), 400, 'invalid_request');
    expect(problem.detail).toContain('arrays or objects that are nested too deeply');
  });

  test('to no body at all', async () => {
    expectProblem(await account.request('POST', '/v1/message/send'), 400, 'invalid_request');
  });

  test('and never repeats the text or the number', async () => {
    for (const body of [
      { recipient: '+46 not a number', message: 'my secret \u0001' },
      { recipient: 46700100200, message: 'my secret' },
    ]) {
      const { text } = await account.send(body);
      expect(text).not.toMatch(/secret|not a number|46700100200/);
    }
  });
});

describe('POST /v1/message/send', () => {
  test.each([
    ['text/plain', '{"recipient":"+46700100200","message":"hi"}'],
    ['application/x-www-form-urlencoded', 'recipient=46700100200&message=hi'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/vnd.api+json', '{}'],
    ['application/jsonx', '{}'],
    ['', '{"recipient":"+46700100200","message":"hi"}'],
  ])('answers 415 to the content type %p', async (contentType, body) => {
    expectProblem(await raw(body, { 'Content-Type': contentType }), 415, 'unsupported_media_type');
  });

  test('answers 415 to a body without a content type, and to a compressed one', async () => {
    expectProblem(await raw('{"recipient":"+46700100200","message":"hi"}', {}), 415, 'unsupported_media_type');
    expectProblem(await raw('x', { ...json, 'Content-Encoding': 'gzip' }), 415, 'unsupported_media_type');
  });

  test.each(['identity', 'Identity'])('reads a body with the content coding %s, which is none', async (coding) => {
    expectProblem(await raw('{}', { ...json, 'Content-Encoding': coding }), 400, 'invalid_request');
  });

  test('takes the longest message with every character escaped', async () => {
    const message = '\\u00e9'.repeat(16_066);
    // One unit too long, so that it is refused for its length in segments and not for that of its body.
    expectProblem(await raw(`{"recipient":"${RECIPIENT}","message":"${message}"}`), 400, 'message_too_long');
    const standard = '\\u0041'.repeat(39_016);
    expectProblem(await raw(`{"recipient":"${RECIPIENT}","message":"${standard}"}`), 400, 'message_too_long');
  });

  test.each([
    ['with its length', false],
    ['in chunks', true],
  ])('answers 413 to a body over 512 KiB sent %s', async (_how, chunked) => {
    const body = JSON.stringify({ recipient: RECIPIENT, message: 'hi', padding: 'x'.repeat(512 * 1024) });
    const reply = await account.request('POST', '/v1/message/send', { body, headers: json, chunked });
    expectProblem(reply, 413, 'body_too_large');
  });

  test('answers 422 when the tariff has no price for the destination', async () => {
    const problem = expectProblem(await account.send({ recipient: '+999700100200', message: 'hi' }), 422, 'no_rate');
    expect(faultsOf(problem)).toEqual([{ field: 'recipient', code: 'no_rate' }]);
  });

  test('answers 402 with what is there, what is needed, and the currency', async () => {
    const poor = await gateway.account({ deposit: '0.07' });
    const reply = await poor.send({ recipient: RECIPIENT, message: 'hi' });
    const problem = expectProblem(reply, 402, 'insufficient_balance');
    expect(problem).toMatchObject({ balance: 0.07, required: 0.075, currency: 'EUR' });
    expect(reply.text).toMatch(/"balance":0\.07,"required":0\.075,"currency":"EUR"/);
    expect(await poor.standing()).toEqual({ balance: 0.07, messages: 0 });
  });

  test('spends the last cent, and a credit limit to its end and no further', async () => {
    const exact = await gateway.account({ deposit: '0.15' });
    const send = (account: TestAccount) => account.send({ recipient: RECIPIENT, message: 'hi' });
    expect((await send(exact)).status).toBe(201);
    expect((await send(exact)).status).toBe(201);
    expect(expectProblem(await send(exact), 402, 'insufficient_balance')).toMatchObject({
      balance: 0,
      required: 0.075,
    });

    const onCredit = await gateway.account({ deposit: '0', creditLimit: '0.1' });
    expect((await send(onCredit)).status).toBe(201);
    const problem = expectProblem(await send(onCredit), 402, 'insufficient_balance');
    expect(problem).toMatchObject({ balance: -0.075, required: 0.075 });
    expect(await onCredit.standing()).toEqual({ balance: -0.075, messages: 1 });
  });
});
