import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Problem } from '../support/contract.js';
import { expectProblem, faultsOf } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import type { Document } from '../support/openapi.js';

const GOOD = { recipient: RECIPIENT, message: 'hi' };
const SEND = '/v1/message/send';
const BATCH = '/v1/message/send-batch';
const QUOTE = '/v1/message/quote';
const POSTS: [string, unknown][] = [
  [SEND, GOOD],
  [BATCH, { messages: [GOOD] }],
  [QUOTE, GOOD],
  [QUOTE, { messages: [GOOD] }],
];

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
// A wish that cannot be granted costs nothing.
afterEach(async () => expect(await account.standing()).toEqual(before));
afterAll(() => gateway.close());

/** The one sentence of a refusal that names one unknown field. */
async function sentenceOf(path: string, body: unknown): Promise<string> {
  const problem = expectProblem(await account.post(path, body), 400, 'unknown_field');
  expect(problem.errors).toHaveLength(1);
  return problem.detail;
}

describe('a field that the service does not know is refused, and nothing is sent', () => {
  test.each([
    [
      'a time to send at',
      { ...GOOD, send_at: '2030-01-01T00:00:00Z' },
      'Unknown field `send_at`; did you mean `sendAt`?',
    ],
    ['a misspelt field', { ...GOOD, mesage: 'hi' }, 'Unknown field `mesage`; did you mean `message`?'],
    ['a field in capitals', { ...GOOD, Recipient: RECIPIENT }, 'Unknown field `Recipient`; did you mean `recipient`?'],
    ['the name of a batch', { ...GOOD, messages: [] }, 'Unknown field `messages`; did you mean `message`?'],
    [
      'an empty name',
      { ...GOOD, '': 1 },
      'Unknown field ``; the fields here are `recipient`, `message`, `reference`, `tag`, `sendAt`, `validitySeconds`, ' +
        '`maxPrice`, `maxSegments`, `sender`, `smartEncoding` and `uniqueReference`.',
    ],
    ['a field that is null', { ...GOOD, validity: null }, 'Unknown field `validity`;'],
    ['a name of the language', { ...GOOD, constructor: 1 }, 'Unknown field `constructor`;'],
  ])('%s', async (_what, body, sentence) => {
    expect(await sentenceOf(SEND, body)).toMatch(sentence);
  });

  const raw = (body: string) =>
    account.request('POST', SEND, { body, headers: { 'Content-Type': 'application/json' } });

  test('names that mean something to the language mean nothing here', async () => {
    const evil = '"__proto__":{"message":"evil"},"constructor":{"prototype":{"x":1}}';
    const reply = await raw(`{${evil},"recipient":"${RECIPIENT}","message":"good"}`);
    expect(faultsOf(expectProblem(reply, 400, 'unknown_field')).map(({ field }) => field)).toEqual([
      '__proto__',
      'constructor',
    ]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test('what it holds is never looked into, however deep it is', async () => {
    const deep = `${'['.repeat(1_500)}${']'.repeat(1_500)}`;
    const reply = await raw(`{"recipient":"${RECIPIENT}","message":"hi","extra":${deep}}`);
    expect(faultsOf(expectProblem(reply, 400, 'unknown_field'))).toEqual([{ field: 'extra', code: 'unknown_field' }]);
  });

  test.each([BATCH, QUOTE])('at %s, beside the messages and in each entry, with its position', async (path) => {
    const messages = [GOOD, { ...GOOD, send_at: 'later' }, { ...GOOD, recipent: RECIPIENT, text: 'hi' }];
    const problem = expectProblem(await account.post(path, { messages, dry_run: true }), 400, 'unknown_field');
    expect(problem.errors).toEqual([
      {
        field: 'dry_run',
        code: 'unknown_field',
        detail: expect.stringMatching(/the fields here are `messages`, `reference`, .* and `uniqueReference`\.$/),
      },
      { field: 'send_at', arrayPosition: 1, code: 'unknown_field', detail: expect.stringMatching(/`send_at`/) },
      { field: 'recipent', arrayPosition: 2, code: 'unknown_field', detail: expect.stringMatching(/`recipient`\?/) },
      { field: 'text', arrayPosition: 2, code: 'unknown_field', detail: expect.stringMatching(/`text`/) },
    ]);
  });

  test('a quote of a batch knows no fields of a single message beside it, nor the other way round', async () => {
    expect(await sentenceOf(QUOTE, { ...GOOD, mesages: [GOOD] })).toMatch('did you mean `messages`?');
    const both = expectProblem(await account.post(QUOTE, { ...GOOD, messages: [GOOD] }), 400, 'unknown_field');
    expect(faultsOf(both).map(({ field }) => field)).toEqual(['recipient', 'message']);
  });

  test('names thousands of them by a few, and a long one by its beginning', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`field_${n}`, n]));
    const problem = expectProblem(await account.send({ ...GOOD, ...many }), 400, 'unknown_field');
    expect(problem.errors).toHaveLength(5);
    expect(problem.errors?.at(-1)?.detail).toMatch(/4995 more are unknown\.$/);
    const long = await account.send({ ...GOOD, ['x'.repeat(100_000)]: 1 });
    expect(faultsOf(expectProblem(long, 400, 'unknown_field'))).toEqual([
      { field: `${'x'.repeat(64)}…`, code: 'unknown_field' },
    ]);
  });
});

describe('a query parameter that the service does not know is refused', () => {
  test.each(['/v1/account', '/v1/account/balance'])('by GET %s, which has none', async (path) => {
    const problem = expectProblem(await account.get(`${path}?currency=USD`), 400, 'unknown_field');
    expect(problem.errors).toEqual([
      {
        field: 'currency',
        code: 'unknown_field',
        detail: 'Unknown query parameter `currency`; this endpoint has no query parameters.',
      },
    ]);
  });

  test.each([
    ['/v1/account/messages', '`page`, `limit`, `cursor`, `status`, `recipient`, `from`, `to`, `reference` and `tag`'],
    ['/v1/account/deposits', '`page`, `limit` and `cursor`'],
    ['/v1/account/ledger', '`page`, `limit` and `cursor`'],
  ])('by GET %s, together with the faults of others', async (path, names) => {
    const sorted = expectProblem(await account.get(`${path}?order=asc`), 400, 'unknown_field');
    expect(sorted.detail).toBe(`Unknown query parameter \`order\`; the query parameters here are ${names}.`);
    const misspelt = expectProblem(await account.get(`${path}?limits=5&page=0`), 400, 'invalid_request');
    expect(misspelt.errors).toEqual([
      { field: 'limits', code: 'unknown_field', detail: 'Unknown query parameter `limits`; did you mean `limit`?' },
      { field: 'page', code: 'invalid_request', detail: 'page must be a whole number of at least 1.' },
    ]);
    const twice = expectProblem(await account.get(`${path}?page=1&page=2`), 400, 'invalid_request');
    expect(twice.detail).toBe('page must be given once.');
  });

  test.each([
    ['/v1/account/messages', ['status=queued', 'recipient=%2B46700100200', 'from=2026-11-20', 'tag=a', 'limit=5']],
    ['/v1/account/messages/export', ['format=csv', 'reference=a', 'to=2026-11-20']],
    ['/v1/account/usage', ['from=2026-11-01', 'to=2026-11-20']],
    ['/v1/message/inbound', ['sender=46700100200', 'keyword=stop', 'cursor=x']],
  ])('by GET %s, and a parameter that is given twice is said to be, with values that are good', async (path, given) => {
    for (const parameter of given) {
      const problem = expectProblem(await account.get(`${path}?${parameter}&${parameter}`), 400, 'invalid_request');
      const [field] = parameter.split('=', 1);
      expect(problem.errors).toEqual([{ field, code: 'invalid_request', detail: `${field} must be given once.` }]);
    }
  });

  test.each(POSTS)('by POST %s, beside a good body', async (path, body) => {
    const problem = expectProblem(await account.post(`${path}?dry_run=1`, body), 400, 'unknown_field');
    expect(faultsOf(problem)).toEqual([{ field: 'dry_run', code: 'unknown_field' }]);
  });
});

describe('one answer names all faults of a request', () => {
  test('of its query, its headers, its shape, its texts and its destinations', async () => {
    const messages = [
      { ...GOOD, send_at: 'later' },
      { recipient: 'me', message: 'hi' },
      { recipient: '+999700100200', message: 7 },
      GOOD,
      { recipient: null, message: ' ' },
      { recipient: '+999700100200', message: 'a\u0000', text: 'hi' },
      'hi',
    ];
    const reply = await account.post(`${BATCH}?test=1`, { messages, from: 'me' }, { 'Idempotency-Key': 'é' });
    expect(faultsOf(expectProblem(reply, 400, 'invalid_request'))).toEqual([
      { field: 'test', code: 'unknown_field' },
      { field: 'Idempotency-Key', code: 'idempotency_key_invalid' },
      { field: 'from', code: 'unknown_field' },
      { field: 'send_at', arrayPosition: 0, code: 'unknown_field' },
      { field: 'recipient', arrayPosition: 1, code: 'recipient_invalid' },
      { field: 'message', arrayPosition: 2, code: 'invalid_request' },
      { field: 'recipient', arrayPosition: 2, code: 'no_rate' },
      { field: 'recipient', arrayPosition: 4, code: 'invalid_request' },
      { field: 'message', arrayPosition: 4, code: 'message_empty' },
      { field: 'text', arrayPosition: 5, code: 'unknown_field' },
      { field: 'recipient', arrayPosition: 5, code: 'no_rate' },
      { field: 'message', arrayPosition: 5, code: 'message_invalid_character' },
      { field: 'messages', arrayPosition: 6, code: 'invalid_request' },
    ]);
  });

  test('of a single send as well', async () => {
    const body = { recipient: '+999700100200', text: 'hi' };
    expect(faultsOf(expectProblem(await account.send(body), 400, 'invalid_request'))).toEqual([
      { field: 'text', code: 'unknown_field' },
      { field: 'message', code: 'invalid_request' },
      { field: 'recipient', code: 'no_rate' },
    ]);
  });

  test('of its query and its body, at every endpoint that changes something', async () => {
    const { paths } = (await gateway.http.request('GET', '/openapi.json')).as<Document>();
    for (const [path, methods] of Object.entries(paths)) {
      const url = path.replace('{recipient}', '46700100200').replaceAll(/\{\w+\}/g, 'x');
      for (const method of Object.keys(methods).filter((name) => name !== 'get')) {
        const reply = await account.request(method.toUpperCase(), `${url}?ofQuery=1`, { json: { ofBody: 1 } });
        const fields = reply.as<Problem>().errors?.map(({ field }) => field);
        expect([method, path, fields]).toEqual([method, path, expect.arrayContaining(['ofQuery', 'ofBody'])]);
      }
    }
  });

  test.each([
    ['GET', '/v1/account/statements/x?test=1', undefined, ['test', 'month']],
    ['GET', '/v1/account/statements/x/export?format=pdf', undefined, ['format', 'month']],
    ['DELETE', '/v1/account/suppressions/x?test=1', { reason: '' }, ['test', 'recipient', 'reason']],
  ])('of a path beside the others: %s %s', async (method, path, json, fields) => {
    const problem = expectProblem(await account.request(method, path, { json }), 400, 'invalid_request');
    expect(
      faultsOf(problem)
        .map(({ field }) => field)
        .sort(),
    ).toEqual([...fields].sort());
  });

  test.each([
    ['/v1/account/keys', { name: '' }, ['test', 'name', 'scopes']],
    ['/v1/webhooks', { url: 'nope', events: [] }, ['test', 'url', 'events']],
    ['/v1/webhooks', {}, ['test', 'url', 'events']],
  ])('of POST %s with %j', async (path, body, fields) => {
    const problem = expectProblem(await account.post(`${path}?test=1`, body), 400, 'invalid_request');
    expect(faultsOf(problem).map(({ field }) => field)).toEqual(fields);
  });

  test('a list that would be very long still names every entry at fault, and says how many faults it leaves out', async () => {
    const entry = { to: 1, text: 2, at: 3 };
    const reply = await account.sendBatch(Array(1_000).fill(entry));
    const problem = expectProblem(reply, 400, 'invalid_request');
    const positions = new Set(problem.errors?.map(({ arrayPosition }) => arrayPosition));
    expect(positions.size).toBe(1_000);
    expect(problem.errors).toHaveLength(2_600);
    expect(problem).toMatchObject({ errorsOmitted: 2_400, detail: '5000 faults; errors has 2600 of them.' });
    expect(reply.text.length).toBeLessThan(1_000_000);
  });
});
