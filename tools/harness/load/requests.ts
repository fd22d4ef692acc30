import { SeededRandom } from '../seeded-random.js';
import { sendPath } from './dialects.js';
import type { RequestShape } from './job.js';

/** Different requests that are sent in turn, so that recipients vary and no cache sees one message alone. */
const SEND_VARIANTS = 1_000;
const BATCH_VARIANTS = 8;
/** So often on average an account has its turn before the sequence begins anew. */
const TURNS = 16;

/** One entry as a client would write it. */
export interface Message {
  readonly recipient: string;
  readonly message: string;
}

/** The message with that number: a recipient of its own and a text of one segment. */
export function messageOf(index: number): Message {
  // Never one of the simulator's magic destinations, which end in 999000NN.
  const subscriber = String(1_000_000 + (index % 8_000_000));
  const code = String(100_000 + ((index * 7_919) % 900_000));
  return {
    recipient: `+49151${subscriber}`,
    message: `Your code is ${code}. It is valid for ten minutes. Please tell it to nobody, not even to us.`,
  };
}

export function messagesOf(count: number, first = 0): Message[] {
  return Array.from({ length: count }, (_, index) => messageOf(first + index));
}

/** The bodies that are sent in turn; none for what is asked by GET. */
export function bodiesOf(request: RequestShape): string[] {
  switch (request.kind) {
    case 'send':
      return messagesOf(SEND_VARIANTS).map((message) => JSON.stringify(message));
    case 'send-batch':
      return Array.from({ length: BATCH_VARIANTS }, (_, variant) => {
        return JSON.stringify({ messages: messagesOf(request.entries, variant * request.entries) });
      });
    case 'read':
    case 'foreign':
      return [];
  }
}

/**
 * The path and headers of a request, without those that HTTP itself needs.
 *
 * @param index of the message, where the path holds it
 * @param account index of the one that asks
 */
export function targetOf(
  request: RequestShape,
  index = 0,
  account = 0,
): { readonly method: 'GET' | 'POST'; readonly path: string; readonly headers: Readonly<Record<string, string>> } {
  if (request.kind === 'foreign') return { method: 'GET', path: sendPath(request, messageOf(index)), headers: {} };
  const headers = { 'x-authorization': request.apiKeys[account] ?? '' };
  if (request.kind === 'read') return { method: 'GET', path: request.path, headers };
  const path = request.kind === 'send' ? '/v1/message/send' : '/v1/message/send-batch';
  return { method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' } };
}

/**
 * Whole requests in the order in which they are sent, ready for the socket: nothing is serialised while time is taken.
 */
export function encodeRequests(request: RequestShape, port: number): Buffer[] {
  if (request.kind === 'foreign') {
    return Array.from({ length: SEND_VARIANTS }, (_, index) => Buffer.from(`${headOf(request, port, index)}\r\n`));
  }
  const bodies = bodiesOf(request).map((body) => `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  if (bodies.length === 0) bodies.push('\r\n');
  const heads = request.apiKeys.map((_, account) => headOf(request, port, 0, account));
  const requests = heads.length === 1 ? bodies.length : Math.max(bodies.length, heads.length * TURNS);
  return zipfSequence(heads.length, requests).map((account, index) =>
    Buffer.from(`${heads[account]}${bodies[index % bodies.length]}`),
  );
}

function headOf(request: RequestShape, port: number, index: number, account = 0): string {
  const { method, path, headers } = targetOf(request, index, account);
  const lines = Object.entries({ host: `127.0.0.1:${port}`, connection: 'keep-alive', ...headers });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`;
}

/**
 * Which of so many is meant, time after time: the n-th with 1/n of the share of the first (Zipf, exponent 1), as
 * customers are large and small. The same numbers give the same sequence.
 */
function zipfSequence(of: number, length: number): number[] {
  const sums: number[] = [];
  let sum = 0;
  for (let n = 1; n <= of; n += 1) {
    sum += 1 / n;
    sums.push(sum);
  }
  const random = new SeededRandom(of);
  return Array.from({ length }, () => {
    const drawn = random.next() * sum;
    return sums.findIndex((upTo) => upTo > drawn);
  });
}
