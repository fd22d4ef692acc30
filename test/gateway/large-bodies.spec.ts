import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Overloaded } from '#batching';
import { AccountMemory } from '../../apps/gateway/http/account-memory.js';
import { AccountTurns } from '../../apps/gateway/http/account-turns.js';
import { faultOfStructure } from '../../apps/gateway/http/json-structure.js';
import { eventually } from '../support/eventually.js';
import { expectProblem } from '../support/expect-problem.js';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
});
afterAll(() => gateway.close());

const headers = { 'Content-Type': 'application/json' };
/** The quote whose answer is longest: a hundred offending characters of each of a thousand entries. */
const BIGGEST = JSON.stringify({
  messages: Array.from({ length: 1_000 }, () => ({ recipient: RECIPIENT, message: '€'.repeat(1_300) })),
});
const quote = (body: string, by = account) => by.request('POST', '/v1/message/quote', { body, headers });

describe('a body that is legal in size', () => {
  test.each([
    ['empty entries', `{"messages":[${'{},'.repeat(1_300_000)}{}]}`, 'batch_too_large'],
    ['numbers', `{"messages":[${'1,'.repeat(1_900_000)}1]}`, 'batch_too_large'],
    ['nested arrays', `{"messages":${'['.repeat(1_900_000)}${']'.repeat(1_900_000)}}`, 'invalid_request'],
    ['fields', `{${Array.from({ length: 300_000 }, (_, n) => `"f${n}":1`).join(',')}}`, 'batch_too_large'],
  ] as const)('but has millions of %s is refused without being parsed', async (_what, body, code) => {
    const by = await gateway.account();
    const before = process.cpuUsage();
    const replies = await Promise.all([quote(body, by), quote(body, by), quote(body, by)]);
    const { user, system } = process.cpuUsage(before);
    for (const reply of replies) expectProblem(reply, 400, code);
    // They were seconds each: 200 ms of parsing, then checks of each value.
    expect((user + system) / 1e6).toBeLessThan(2);
  });

  test.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('but has 20 KB of nested %s is refused, as a single send, a batch and a quote', async (_what, open, close) => {
    const nested = (depth: number) => `{"messages":${open.repeat(depth)}1${close.repeat(depth)}}`;
    for (const path of ['/v1/message/send', '/v1/message/send-batch', '/v1/message/quote']) {
      const reply = await account.request('POST', path, { body: nested(20_000 / open.length), headers });
      expect(expectProblem(reply, 400, 'invalid_request').detail).toContain('nested too deeply');
    }
  });

  test('is read as it is, whatever stands in its strings', () => {
    const count = (text: string) =>
      [...Array(20).keys()].find((max) => faultOfStructure(Buffer.from(text), max) === undefined);
    expect(count('{"a":"x"}')).toBe(1);
    expect(count('{"a":"{,[","b":[1,2]}')).toBe(4);
    expect(count('{"a":"\\",,,","b":1}')).toBe(2);
    expect(count('{"a":"\\\\","b":",,,"}')).toBe(2);
    expect(count('{"a":"\\\\\\",,","b":",,,"}')).toBe(2);
    expect(count('"')).toBe(0);
    expect(count('"\\')).toBe(0);
  });
});

describe('a part of a batch that is larger than a single send may be', () => {
  const big = 'y'.repeat(300_000);
  const small = `{"recipient":"${RECIPIENT}","message":"hi"}`;
  const large = `{"recipient":"${RECIPIENT}","message":"${big}"}`;
  test.each([
    ['an entry', `{"messages":[${small},${large}]}`, [1]],
    ['several entries', `{"messages":[${large},${small},${small},${large}]}`, [0, 3]],
    ['a field beside the entries', `{"x":"${big}","messages":[${small}]}`, undefined],
    ['an entry of another list', `{"x":["${big}"],"messages":[${small}]}`, undefined],
    ['white space', `{"messages":[${' '.repeat(300_000)}]}`, [0]],
  ])('is refused with its limit, and nothing is charged: %s', async (_what, body, positions) => {
    const before = await account.standing();
    for (const path of ['/v1/message/quote', '/v1/message/send-batch']) {
      const problem = expectProblem(await account.request('POST', path, { body, headers }), 413, 'body_too_large');
      expect(JSON.stringify(problem)).toContain('256 KiB');
      expect(problem.errors?.map(({ arrayPosition }) => arrayPosition)).toEqual(positions);
    }
    expect(await account.standing()).toEqual(before);
  });
});

test.each([
  ['no object', `[${BIGGEST}]`, 'invalid_request'],
  ['not closed', BIGGEST.slice(0, -1), 'malformed_json'],
  ['closed by the other bracket', `${BIGGEST.slice(0, -2)}}}`, 'malformed_json'],
  ['with a comma too many', `${BIGGEST.slice(0, -2)},]}`, 'malformed_json'],
  ['with a name twice', BIGGEST.replace('"message":', '"recipient":"0","message":'), 'malformed_json'],
  ['followed by something', `${BIGGEST}x`, 'malformed_json'],
] as const)('a large body that is %s is refused for that', async (_what, body, code) => {
  expectProblem(await quote(body, await gateway.account()), 400, code);
});

test('an entry far into a large batch is named by its position, with all its faults', async () => {
  const messages = Array.from({ length: 1_000 }, (): object => ({ recipient: RECIPIENT, message: 'm'.repeat(1_000) }));
  messages[3] = { recipient: RECIPIENT, message: '' };
  messages[700] = { recipient: 7, mesage: 'x' };
  messages[999] = [];
  const problem = expectProblem(await quote(JSON.stringify({ messages, flash: 1 })), 400, 'invalid_request');
  const faults = (problem.errors ?? []).map(({ field, arrayPosition, code }) => [arrayPosition, field, code]);
  expect(faults).toEqual([
    [undefined, 'flash', 'unknown_field'],
    [3, 'message', 'message_empty'],
    [700, 'mesage', 'unknown_field'],
    [700, 'recipient', 'invalid_request'],
    [700, 'message', 'invalid_request'],
    [999, 'messages', 'invalid_request'],
  ]);
});

test('a large batch with an Idempotency-Key that is sent again is answered as the first time, and charged once', async () => {
  const rich = await gateway.account();
  await rich.deposit('100000');
  const messages = Array.from({ length: 300 }, (_, n) => ({
    recipient: RECIPIENT,
    message: `${n} ${'€'.repeat(1_000)}`,
  }));
  const send = (body: string) =>
    rich.request('POST', '/v1/message/send-batch', { body, headers: { ...headers, 'Idempotency-Key': 'k' } });
  const first = await send(JSON.stringify({ messages }));
  expect(first.status).toBe(201);
  const standing = await rich.standing();
  // Other white space, the same content.
  const again = await send(JSON.stringify({ messages }, undefined, 1));
  expect([again.status, again.json]).toEqual([201, first.json]);
  messages[299] = { recipient: RECIPIENT, message: 'another' };
  expectProblem(await send(JSON.stringify({ messages })), 422, 'idempotency_key_reused');
  expect(await rich.standing()).toEqual(standing);
});

test('a client that does not read the answer to its quote keeps no other client waiting', async () => {
  const [silent, other] = [await gateway.account(), await gateway.account()];
  const socket = connect(gateway.port, '127.0.0.1', () => {
    socket.pause();
    socket.write(
      `POST /v1/message/quote HTTP/1.1\r\nHost: x\r\nX-Authorization: ${silent.apiKey}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(BIGGEST)}\r\n\r\n${BIGGEST}`,
    );
  });
  try {
    // Each was 503 after ten seconds, as long as the first answer was not read.
    for (let quotes = 0; quotes < 3; quotes += 1) expect((await quote(BIGGEST, other)).status).toBe(200);
  } finally {
    socket.destroy();
  }
});

test('while the three biggest quotes are worked on, others are served', async () => {
  const other = await gateway.account();
  let isOver = false;
  const quotes = Promise.all([quote(BIGGEST), quote(BIGGEST), quote(BIGGEST)]).finally(() => {
    isOver = true;
  });
  let reads = 0;
  while (!isOver) {
    expect((await other.get('/v1/account/balance')).status).toBe(200);
    reads += 1;
  }
  for (const { status, json } of await quotes) {
    expect(status).toBe(200);
    expect((json as { messages: unknown[] }).messages).toHaveLength(1_000);
  }
  // Some twenty; fewer where the machine is faster. With each quote in one go there is room for two.
  expect(reads).toBeGreaterThan(5);
});

test('a quote of a batch says of each entry what a quote of that message says', async () => {
  const drafts = [
    { recipient: RECIPIENT, message: 'plain' },
    { recipient: '0049 170 1234567', message: `€ "quoted" \u2028 ${'x'.repeat(200)}` },
  ];
  const batch = (await account.post('/v1/message/quote', { messages: drafts })).json as { messages: object[] };
  for (const [arrayPosition, draft] of drafts.entries()) {
    const { currency, ...alone } = (await account.post('/v1/message/quote', draft)).json as { currency: string };
    expect([currency, batch.messages[arrayPosition]]).toEqual(['EUR', { arrayPosition, ...alone }]);
  }
});

describe('large bodies', () => {
  const MB = 1024 * 1024;

  test('of one account do not take all the memory, and what is given back can be taken again', () => {
    const memory = new AccountMemory();
    const held = Array.from({ length: 4 }, () => memory.reserve('a', 4 * MB));
    expect(() => memory.reserve('a', 4 * MB)).toThrow(Overloaded);
    const others = Array.from({ length: 28 }, (_, n) => memory.reserve(`b${n % 7}`, 4 * MB));
    expect(() => memory.reserve('c', 4 * MB)).toThrow(Overloaded);
    for (const giveBack of [...held, ...others]) giveBack();
    // One that is larger than what an account may have is let in alone.
    memory.reserve('a', 40 * MB);
    expect(() => memory.reserve('a', 1)).toThrow(Overloaded);
  });

  test('of several accounts take turns', async () => {
    const turns = new AccountTurns(1);
    const order: string[] = [];
    const works = ['a', 'a', 'a', 'b', 'c'].map(async (name) => {
      const end = await turns.turn(name);
      order.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      end();
    });
    await Promise.all(works);
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a']);
  });

  test('beyond that are 503 with Retry-After before they are read, for this account alone', async () => {
    const [greedy, other] = [await gateway.account(), await gateway.account()];
    const head = ({ apiKey }: TestAccount) =>
      `POST /v1/message/send-batch HTTP/1.1\r\nHost: x\r\nX-Authorization: ${apiKey}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{';
    const sockets: Socket[] = [];
    /** Begins to send a body and does not go on; the first that comes back. */
    const begin = (by: TestAccount) =>
      new Promise<string>((resolve) => {
        const socket = connect(gateway.port, '127.0.0.1', () => socket.write(head(by)));
        sockets.push(socket);
        socket.on('error', () => undefined);
        socket.on('data', (answer) => resolve(answer.toString()));
      });
    const entry = `{"recipient":"${RECIPIENT}","message":"${'y'.repeat(100_000)}"}`;
    const body = `{"messages":[${Array(39).fill(entry).join(',')}]}`;
    const sent = (by: TestAccount) => by.request('POST', '/v1/message/send-batch', { body, headers });
    const answers: string[] = [];
    try {
      for (let count = 0; count < 5; count += 1) void begin(greedy).then((answer) => answers.push(answer));
      await eventually(() => answers.length > 0);
      expect(answers).toHaveLength(1);
      expect(answers[0]).toMatch(/^HTTP\/1.1 503 /);
      expect(answers[0]).toMatch(/retry-after: 1/i);
      expect(answers[0]).toContain('"code":"overloaded"');
      // Read and refused for what it says.
      expect((await sent(other)).status).toBe(400);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    await eventually(async () => expect((await sent(greedy)).status).toBe(400), { intervalMs: 500 });
  });
});
