import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { repeatedName } from '../../apps/gateway/http/repeated-names.js';
import { expectProblem } from '../support/expect-problem.js';
import { ANY_CHARACTER, fuzz } from '../support/fuzz.js';
import { RECIPIENT, TestGateway } from '../support/gateway.js';

describe('a name that an object has twice is found', () => {
  test.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1 , "b":{"c":1, "c" : 2}}', 'c'],
    ['[{"a":1},{"b":[{"x":{},"x":[]}]}]', 'x'],
    ['{"recipient":"1","\\u0072ecipient":"2"}', 'recipient'],
    ['{"":1,"":2}', ''],
    ['{"a\\"b":1,"a\\"b":2}', 'a"b'],
    [`{${Array.from({ length: 100 }, (_, n) => `"k${n}":${n}`).join(',')},"k99":1}`, 'k99'],
  ])('in %s', (json, name) => {
    expect(() => JSON.parse(json) as unknown).not.toThrow();
    expect(repeatedName(json)).toBe(name);
  });

  test.each([
    '{"a":"a","b":"a"}',
    '[{"a":1},{"a":2}]',
    '{"a":{"a":{"a":1}},"b":["a","a"]}',
    '{"a":"\\"b\\":1","b":"}{\\\\"}',
    '"a"',
    '[]',
    '7',
  ])('and in %s there is none', (json) => {
    expect(repeatedName(json)).toBeUndefined();
  });

  test('in any document: none in what was written by JSON.stringify, and the one that was put in', () => {
    const name = fc.oneof(
      fc.string({ unit: ANY_CHARACTER }),
      fc.constantFrom('recipient', 'message', '"', '\\', ':', '{'),
    );
    const document = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        name,
        fc.integer(),
        fc.array(tie('value')),
        fc.dictionary(name, tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(document, name, (value, twice) => {
        const json = JSON.stringify(value);
        expect(repeatedName(json)).toBeUndefined();
        const key = JSON.stringify(twice);
        expect(repeatedName(`{"holds":${json},"in":[{${key}:${json}, ${key} :1}]}`)).toBe(twice);
      }),
      fuzz(300),
    );
  });
});

describe('POST /v1/message/send', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start();
  });
  afterAll(() => gateway.close());

  test('refuses a body with two texts, and charges none of them', async () => {
    const account = await gateway.account();
    const before = await account.standing();
    for (const [path, body] of [
      ['/v1/message/send', `{"recipient":"${RECIPIENT}","message":"short","message":"the other one"}`],
      [
        '/v1/message/send-batch',
        `{"messages":[{"recipient":"${RECIPIENT}","message":"a","recipient":"+46700100201"}]}`,
      ],
    ] as const) {
      const headers = { 'Content-Type': 'application/json' };
      const problem = expectProblem(await account.request('POST', path, { body, headers }), 400, 'malformed_json');
      expect(problem.detail).toMatch(/^The body has `(message|recipient)` twice in one object\.$/);
    }
    expect(await account.standing()).toEqual(before);
  });
});
