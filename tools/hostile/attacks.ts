import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** What is attacked, by whom. */
export interface Target {
  readonly port: number;
  /** Undefined for the sink. */
  readonly operatorPort: number | undefined;
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
  /** @returns the status, or 0 when the connection ended without one */
  readonly strike: (target: Target) => Promise<number>;
}

const ANSWER_TIMEOUT_MS = 30_000;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

interface Shot {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
  readonly port?: number;
}

function shoot(
  target: Target,
  { method = 'GET', path, headers = {}, body, port = target.port }: Shot,
): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers, agent, timeout: ANSWER_TIMEOUT_MS },
      (answer) => {
        answer.resume();
        answer.on('close', () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(0));
    sent.end(body);
  });
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

const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };
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

function post(path: string, body: string) {
  return (target: Target) =>
    shoot(target, { method: 'POST', path, body, headers: { ...JSON_TYPE, 'X-Authorization': target.apiKey } });
}

/** The worst kinds that were found, most of them cheap to send. */
export const ATTACKS: readonly Attack[] = [
  {
    name: 'wrong keys',
    weight: 400,
    strike: (target) => shoot(target, { path: '/v1/account/balance', headers: { 'X-Authorization': wrongKey() } }),
  },
  {
    name: 'no key',
    weight: 200,
    strike: (target) =>
      shoot(target, { method: 'POST', path: '/v1/message/send', headers: JSON_TYPE, body: '{"a":1}' }),
  },
  {
    name: 'callbacks of many names',
    weight: 60,
    strike: (target) =>
      shoot(target, { method: 'POST', path: '/carriers/x/status', headers: FORM_TYPE, body: MANY_NAMES }),
  },
  {
    name: 'callbacks with a wrong signature',
    weight: 200,
    strike: (target) =>
      shoot(target, {
        method: 'POST',
        path: '/carriers/x/status',
        headers: { ...FORM_TYPE, 'X-Twilio-Signature': 'x' },
        body: SOME_NAMES,
      }),
  },
  { name: 'malformed JSON', weight: 200, strike: post('/v1/message/send', '{"recipient":"+4670') },
  { name: 'wrong types', weight: 250, strike: (target) => post('/v1/message/send', next(WRONG_TYPES))(target) },
  { name: 'deep JSON', weight: 20, strike: post('/v1/message/send-batch', DEEP) },
  { name: 'quotes', weight: 150, strike: post('/v1/message/quote', WRONG_TYPES[5] ?? '') },
  {
    name: 'lists',
    weight: 200,
    strike: (target) =>
      shoot(target, { path: '/v1/account/messages?limit=100', headers: { 'X-Authorization': target.apiKey } }),
  },
  { name: 'paths with encodings', weight: 100, strike: (target) => shoot(target, { path: next(PATHS) }) },
  { name: 'readiness', weight: 100, mayBeShed: true, strike: (target) => shoot(target, { path: '/readyz' }) },
  {
    name: 'headers of 15 KB and doubled ones',
    weight: 40,
    strike: (target) =>
      shoot(target, { path: '/v1/account', headers: { 'X-Authorization': ['a', 'b'], 'X-Large': 'x'.repeat(15_000) } }),
  },
  {
    name: 'headers over 16 KiB',
    weight: 5,
    strike: (target) => raw(target, `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`),
  },
  { name: 'no HTTP', weight: 10, strike: (target) => raw(target, 'hello\r\n\r\n') },
  { name: 'two hosts', weight: 10, strike: (target) => raw(target, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n') },
  {
    name: 'fifty requests in one packet',
    weight: 4,
    strike: (target) =>
      raw(
        target,
        `${'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(49)}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      ),
  },
  {
    name: 'operator passwords',
    weight: 50,
    strike: (target) =>
      shoot(target, {
        path: '/metrics',
        port: target.operatorPort ?? target.port,
        headers: { Authorization: `Basic ${randomBytes(12).toString('base64')}` },
      }),
  },
  {
    name: 'uploads of 4 MB without a key',
    weight: 1,
    strike: (target) =>
      shoot(target, { method: 'POST', path: '/v1/message/quote', headers: JSON_TYPE, body: BIG_QUOTE }),
  },
  { name: 'the biggest quotes', weight: 1, mayBeShed: true, strike: post('/v1/message/quote', BIG_QUOTE) },
  { name: 'large wrong batches', weight: 1, mayBeShed: true, strike: post('/v1/message/send-batch', BIG_WRONG) },
  { name: 'a million entries', weight: 1, mayBeShed: true, strike: post('/v1/message/send-batch', MILLIONS) },
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
