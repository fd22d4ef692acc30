import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { exchange } from '../harness/http.js';

/** What is attacked, by whom. */
export interface Target {
  readonly port: number;
  readonly operatorPort: number;
  /** Of an account that wants to do harm. */
  readonly apiKey: string;
}

/** One kind of bad request, and its share of all. */
export interface Attack {
  readonly name: string;
  readonly weight: number;
  /**
   * Where 503 is documented: for more large bodies than may be in memory, and at /readyz while a look takes too long.
   */
  readonly mayBeShed?: boolean;
  /** The next one: a request, or what goes out on a bare socket. */
  readonly shot: (target: Target) => Shot | string;
}

const ANSWER_TIMEOUT_MS = 30_000;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

interface Shot {
  readonly path: string;
  readonly headers?: Record<string, string | string[]>;
  /** Unset: it is asked by GET, else by POST. */
  readonly body?: string;
  readonly port?: number;
}

/** @returns the status, or 0 when the connection ended without one */
export async function strike(target: Target, { shot }: Attack): Promise<number> {
  const next = shot(target);
  if (typeof next === 'string') return raw(target, next);
  const method = next.body === undefined ? 'GET' : 'POST';
  return (await exchange({ port: target.port, method, agent, timeoutMs: ANSWER_TIMEOUT_MS, ...next })).status;
}

function raw({ port }: Target, bytes: string): Promise<number> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy());
    socket.on('data', (chunk) => {
      if (answer.length < 100) answer += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? 0)));
  });
}

const wrongKey = () => `hg_${randomBytes(4).toString('hex')}_${randomBytes(32).toString('base64url')}`;
const names = (count: number) => Array.from({ length: count }, (_, n) => n.toString(36)).join('&');
const MANY_NAMES = names(16_000);
const SOME_NAMES = names(90);
const DEEP = `{"messages":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
const BIG_QUOTE = JSON.stringify({
  messages: Array.from({ length: 1_000 }, () => ({ recipient: '+46700100200', message: '€'.repeat(1_300) })),
});
/** Each of its entries has seven faults and as much text as there may be. */
const WRONG_ENTRY = `{"recipient":1,"mesage":"${'y'.repeat(3_500)}","recipients":2,"sender":3,"send_at":4,"texts":5}`;
const BIG_WRONG = `{"messages":[${`${WRONG_ENTRY},`.repeat(999)}{}]}`;
const MILLIONS = `{"messages":[${'{},'.repeat(1_300_000)}{}]}`;
const WRONG_TYPES = [
  '{"recipient":1,"message":[]}',
  '{"recipient":{},"message":null}',
  '[]',
  'null',
  '{"__proto__":{"recipient":"+46700100200"}}',
  '{"recipient":"+46700100200","message":"hi","send_at":"now"}',
  '{"recipient":"+9991234567","message":"hi"}',
  '{"messages":"x"}',
];
const PATHS = [
  '/docs/%00',
  '/docs/..',
  '/v1/%zz',
  '/carriers/%00/status',
  '/%2e%2e/etc/passwd',
  '/v1//account',
  '/docs/.',
  '/',
];
let turn = 0;
const next = <Item>(items: readonly Item[]): Item => items[turn++ % items.length] as Item;

const json = (path: string, body: string, headers: Shot['headers'] = {}): Shot => {
  return { path, body, headers: { 'Content-Type': 'application/json', ...headers } };
};
const jsonWithKey = (path: string, body: string) => {
  return ({ apiKey }: Target) => json(path, body, { 'X-Authorization': apiKey });
};
const callback = (body: string, headers: Shot['headers'] = {}): Shot => {
  return {
    path: '/carriers/x/status',
    body,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  };
};
const get = (path: string, headers: Shot['headers'] = {}): Shot => ({ path, headers });

const QUOTE = '/v1/message/quote';
const SEND = '/v1/message/send';
const SEND_BATCH = '/v1/message/send-batch';
const FIFTY = `${'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(49)}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
const DOUBLED_AND_LARGE = { 'X-Authorization': ['a', 'b'], 'X-Large': 'x'.repeat(15_000) };
const wrongPassword = () => ({ Authorization: `Basic ${randomBytes(12).toString('base64')}` });

/** The worst kinds that were found, most of them cheap to send. */
export const ATTACKS: readonly Attack[] = [
  { name: 'wrong keys', weight: 400, shot: () => get('/v1/account/balance', { 'X-Authorization': wrongKey() }) },
  { name: 'no key', weight: 200, shot: () => json(SEND, '{"a":1}') },
  { name: 'callbacks of many names', weight: 60, shot: () => callback(MANY_NAMES) },
  {
    name: 'callbacks with a wrong signature',
    weight: 200,
    shot: () => callback(SOME_NAMES, { 'X-Twilio-Signature': 'x' }),
  },
  { name: 'malformed JSON', weight: 200, shot: jsonWithKey(SEND, '{"recipient":"+4670') },
  { name: 'wrong types', weight: 250, shot: (target) => jsonWithKey(SEND, next(WRONG_TYPES))(target) },
  { name: 'deep JSON', weight: 20, shot: jsonWithKey(SEND_BATCH, DEEP) },
  { name: 'quotes', weight: 150, shot: jsonWithKey(QUOTE, WRONG_TYPES[5] ?? '') },
  {
    name: 'lists',
    weight: 200,
    shot: ({ apiKey }) => get('/v1/account/messages?limit=100', { 'X-Authorization': apiKey }),
  },
  { name: 'paths with encodings', weight: 100, shot: () => get(next(PATHS)) },
  { name: 'readiness', weight: 100, mayBeShed: true, shot: () => get('/readyz') },
  { name: 'headers of 15 KB and doubled ones', weight: 40, shot: () => get('/v1/account', DOUBLED_AND_LARGE) },
  {
    name: 'headers over 16 KiB',
    weight: 5,
    shot: () => `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
  },
  { name: 'no HTTP', weight: 10, shot: () => 'hello\r\n\r\n' },
  { name: 'two hosts', weight: 10, shot: () => 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n' },
  { name: 'fifty requests in one packet', weight: 4, shot: () => FIFTY },
  {
    name: 'operator passwords',
    weight: 50,
    shot: ({ operatorPort: port }) => ({ path: '/metrics', port, headers: wrongPassword() }),
  },
  { name: 'uploads of 4 MB without a key', weight: 1, shot: () => json(QUOTE, BIG_QUOTE) },
  { name: 'the biggest quotes', weight: 1, mayBeShed: true, shot: jsonWithKey(QUOTE, BIG_QUOTE) },
  { name: 'large wrong batches', weight: 1, mayBeShed: true, shot: jsonWithKey(SEND_BATCH, BIG_WRONG) },
  { name: 'a million entries', weight: 1, mayBeShed: true, shot: jsonWithKey(SEND_BATCH, MILLIONS) },
];

/** Clients that begin a head or a body and send a byte a second, on as many connections. */
export function openSlowConnections(target: Target, count: number): () => void {
  const sockets: Socket[] = [];
  const body = `POST /v1/message/send-batch HTTP/1.1\r\nHost: x\r\nX-Authorization: ${target.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{`;
  const open = (index: number) => {
    const socket = connect(target.port, '127.0.0.1', () =>
      socket.write(index % 40 === 0 ? body : 'GET / HTTP/1.1\r\nX'),
    );
    socket.on('error', () => undefined);
    socket.resume();
    sockets[index] = socket;
  };
  for (let index = 0; index < count; index += 1) open(index);
  const timer = setInterval(() => {
    for (const [index, socket] of sockets.entries()) {
      if (socket.destroyed || socket.readableEnded) open(index);
      else if (socket.writable) socket.write('a');
    }
  }, 1_000);
  return () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  };
}
