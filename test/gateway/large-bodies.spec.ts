import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Overloaded } from '#batching';
import { hasValuesAtMost } from '../../apps/gateway/http/json-structure.js';
import { LargeBodies } from '../../apps/gateway/http/large-bodies.js';
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
    ['empty entries', `{"messages":[${'{},'.repeat(1_300_000)}{}]}`],
    ['numbers', `{"messages":[${'1,'.repeat(1_900_000)}1]}`],
    ['depth', `{"messages":${'['.repeat(1_900_000)}${']'.repeat(1_900_000)}}`],
    ['fields', `{${Array.from({ length: 300_000 }, (_, n) => `"f${n}":1`).join(',')}}`],
  ])('but has millions of %s is refused without being parsed', async (_what, body) => {
    const by = await gateway.account();
    const before = process.cpuUsage();
    const replies = await Promise.all([quote(body, by), quote(body, by), quote(body, by)]);
    const { user, system } = process.cpuUsage(before);
    for (const reply of replies) expectProblem(reply, 400, 'batch_too_large');
    // They were seconds each: 200 ms of parsing, then checks of each value.
    expect((user + system) / 1e6).toBeLessThan(2);
  });

  test('is read as it is, whatever stands in its strings', () => {
    const count = (text: string) => [...Array(20).keys()].find((max) => hasValuesAtMost(Buffer.from(text), max));
    expect(count('{"a":"x"}')).toBe(1);
    expect(count('{"a":"{,[","b":[1,2]}')).toBe(4);
    expect(count('{"a":"\\",,,","b":1}')).toBe(2);
    expect(count('{"a":"\\\\","b":",,,"}')).toBe(2);
    expect(count('{"a":"\\\\\\",,","b":",,,"}')).toBe(2);
    expect(count('"')).toBe(0);
    expect(count('"\\')).toBe(0);
  });
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
  // One after the other: each quote in one go left room for about one read between two of them.
  expect(reads).toBeGreaterThan(20);
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
    const bodies = new LargeBodies();
    const held = Array.from({ length: 4 }, () => bodies.reserve('a', 4 * MB));
    expect(() => bodies.reserve('a', 4 * MB)).toThrow(Overloaded);
    const others = Array.from({ length: 28 }, (_, n) => bodies.reserve(`b${n % 7}`, 4 * MB));
    expect(() => bodies.reserve('c', 4 * MB)).toThrow(Overloaded);
    for (const giveBack of [...held, ...others]) giveBack();
    // One that is larger than what an account may have is let in alone.
    bodies.reserve('a', 40 * MB);
    expect(() => bodies.reserve('a', 1)).toThrow(Overloaded);
  });

  test('of several accounts take turns', async () => {
    const bodies = new LargeBodies();
    const order: string[] = [];
    const turns = ['a', 'a', 'a', 'b', 'c'].map(async (name) => {
      const end = await bodies.turn(name);
      order.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      end();
    });
    await Promise.all(turns);
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a']);
  });

  test('beyond that are 503 with Retry-After before they are read, for this account alone', async () => {
    const [greedy, other] = [await gateway.account(), await gateway.account()];
    const head = ({ apiKey }: TestAccount) =>
      `POST /v1/message/send-batch HTTP/1.1\r\nHost: x\r\nX-Authorization: ${apiKey}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{';
    const sockets: Socket[] = [];
    /** Begins to send a body and does not go on; what comes back within a moment. */
    const begin = (by: TestAccount) =>
      new Promise<string>((resolve) => {
        const socket = connect(gateway.port, '127.0.0.1', () => socket.write(head(by)));
        sockets.push(socket);
        socket.on('error', () => undefined);
        socket.on('data', (answer) => resolve(answer.toString()));
        setTimeout(() => resolve(''), 500);
      });
    try {
      expect(await Promise.all(Array.from({ length: 4 }, () => begin(greedy)))).toEqual(['', '', '', '']);
      const shed = await begin(greedy);
      expect(shed).toMatch(/^HTTP\/1.1 503 /);
      expect(shed).toMatch(/retry-after: 1/i);
      expect(shed).toContain('"code":"overloaded"');
      expect(await begin(other)).toBe('');
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    const body = `{"messages":[],"x":"${'y'.repeat(3_900_000)}"}`;
    const again = () => greedy.request('POST', '/v1/message/send-batch', { body, headers });
    await eventually(async () => expect((await again()).status).toBe(400), { timeoutMs: 5_000, intervalMs: 500 });
  });
});
