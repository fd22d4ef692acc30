import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { planSegments } from '#billing';
import type { AccountSummary, Problem, SendBatchResult, SendResult } from '../support/contract.js';
import { FUZZ_TIMEOUT_MS, fuzzRuns, fuzzSeed } from '../support/fuzz.js';
import { TEST_RATES, type TestAccount, TestGateway } from '../support/gateway.js';
import type { HttpReply } from '../support/http-client.js';
import { type HostileRequest, hostileRequest, KNOWN_REFUSALS, overLimit } from './hostile-requests.js';

/** `FUZZ_RUNS` requests where that is set; `FUZZ_SEED` repeats those of a failure. */
const ORDINARILY = 2_000;
const REQUESTS = fuzzRuns(ORDINARILY);
const AT_ONCE = 16;
/** Drawn and sent in portions, so that many of them need not be held in memory. */
const PORTION = 2_000;

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  // A busy machine must not turn a send into an honest 503 here.
  gateway = await TestGateway.start({ settings: { ACCEPT_WAIT_MAX_MS: '30000' } });
  account = await gateway.account({ deposit: '10000000' });
});
afterAll(() => gateway.close());

/** What the answers say that was taken, in micro-units, and whose prices are the tests' own. */
const taken = { messages: 0, micros: 0n };
const statuses = new Map<number, number>();

async function standing() {
  const summary = (await account.get('/v1/account')).as<AccountSummary>();
  return { consumed: summary.totalConsumed, remaining: summary.creditRemaining, ...summary.orderSummary.messages };
}

test(
  'whatever is sent, nothing is answered 5xx, each refusal is a problem with a known code and free, and each acceptance costs its price',
  async () => {
    const seed = fuzzSeed();
    const before = await standing();
    for (let portion = 0; portion * PORTION < REQUESTS; portion += 1) {
      const numRuns = Math.min(PORTION, REQUESTS - portion * PORTION);
      // A body over its limit is too rare to be in every ten thousand by chance.
      const requests = [overLimit, ...fc.sample(hostileRequest, { numRuns: numRuns - 1, seed: seed + portion })];
      let next = 0;
      const client = async () => {
        for (let index = next++; index < requests.length; index = next++) {
          const request = requests[index];
          if (request === undefined) return;
          try {
            await sendAndJudge(request);
          } catch (error) {
            throw new Error(`FUZZ_SEED=${seed}, request ${portion * PORTION + index}: ${describeRequest(request)}`, {
              cause: error,
            });
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, client));
      // At rest: what was accepted is counted and charged to the last millionth, and nothing else is.
      const now = await standing();
      expect(now.count - before.count).toBe(taken.messages);
      expect(Math.round(now.consumed * 1e6)).toBe(Number(taken.micros));
      expect(Math.round((before.remaining - now.remaining) * 1e6)).toBe(Number(taken.micros));
      expect(now.totalAmount).toBe(now.consumed);
    }
    // The property is not proven of nothing.
    if (REQUESTS >= ORDINARILY) {
      expect(taken.messages).toBeGreaterThan(200);
      for (const status of [200, 201, 400, 404, 405, 413, 415, 422]) expect([...statuses.keys()]).toContain(status);
    }
    expect((await gateway.http.request('GET', '/readyz')).status).toBe(200);
  },
  FUZZ_TIMEOUT_MS * 2,
);

async function sendAndJudge(request: HostileRequest): Promise<void> {
  if (request.kind === 'raw') {
    judgeBare(await gateway.http.raw(request.bytes));
    return;
  }
  const { method, path, headers, body, chunked } = request;
  const reply = await account.request(method, path, { headers, chunked, ...(body !== undefined && { body }) });
  statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
  // An answer about its health, which a machine that is busy enough may well give.
  if (reply.status === 503 && path.startsWith('/readyz')) return;
  if (reply.status >= 400) judgeRefusal(reply, method);
  else if (reply.status === 201) judgeAcceptance(reply, path, body ?? Buffer.alloc(0));
  else expect([200, 204, 301, 302, 304]).toContain(reply.status);
}

function judgeRefusal(reply: HttpReply, method: string): void {
  if (reply.status >= 500) throw new Error(`answered ${reply.status}: ${reply.text}`);
  expect(reply.headers['content-type']).toBe('application/problem+json');
  if (method === 'HEAD') return;
  const problem = reply.as<Problem>();
  expect([problem.code, KNOWN_REFUSALS.get(problem.code)]).toEqual([problem.code, reply.status]);
  expect([problem.status, problem.success]).toEqual([reply.status, false]);
  for (const { code } of problem.errors ?? []) expect(KNOWN_REFUSALS.has(code)).toBe(true);
  expect(reply.text).not.toMatch(/ at .*\.js:|node_modules|select |TypeError/);
}

/** Answers to what is no HTTP are read as they come: a head, and a problem where it is a refusal. */
function judgeBare(answer: string): void {
  if (answer === '') return; // Hung up on, with nothing that could be answered.
  const [head = '', text = ''] = answer.split('\r\n\r\n');
  const status = Number(head.split(' ')[1]);
  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(500);
  if (status < 400) return;
  expect(head).toMatch(/content-type: application\/problem\+json/i);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  const problem = JSON.parse(Buffer.from(text, 'latin1').subarray(0, length).toString()) as Problem;
  expect(KNOWN_REFUSALS.get(problem.code)).toBe(status);
}

/** The price of what was sent, by the contract's rules and the tests' own rates, has to be the price that was taken. */
function judgeAcceptance(reply: HttpReply, path: string, body: Buffer): void {
  const sent = JSON.parse(body.toString().replace(/^\ufeff/, '')) as { messages?: Entry[] } & Entry;
  const isBatch = path.startsWith('/v1/message/send-batch');
  const entries = isBatch ? (sent.messages ?? []) : [sent];
  const prices = entries.map(priceOf);
  const total = prices.reduce((sum, price) => sum + price, 0n);
  const result = reply.as<SendResult & SendBatchResult>();
  expect(toMicros(result.balanceDeduction)).toBe(total);
  if (isBatch) {
    expect(result.orderSummary.map(({ recipient }) => recipient)).toEqual(entries.map(({ recipient }) => recipient));
    expect(result.orderSummary.map(({ amount }) => BigInt(Math.round(amount * 1e6)))).toEqual(prices);
  }
  if (reply.headers['idempotent-replayed'] !== undefined) return;
  taken.messages += entries.length;
  taken.micros += total;
}

interface Entry {
  readonly recipient: string;
  readonly message: string;
}

function priceOf({ recipient, message }: Entry): bigint {
  const digits = recipient.replace(/[^0-9]/g, '').replace(/^00/, '');
  const prefixes = Object.entries(TEST_RATES.EUR).filter(([prefix]) => digits.startsWith(prefix));
  const [, price] = prefixes.sort(([one], [other]) => other.length - one.length)[0] ?? [];
  if (price === undefined) throw new Error(`accepted without a price: ${recipient}`);
  return toMicros(price) * BigInt(planSegments(message).segments.length);
}

function toMicros(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}

function describeRequest(request: HostileRequest): string {
  if (request.kind === 'raw') return JSON.stringify(request.bytes.toString('latin1'));
  const { method, path, headers, body, chunked } = request;
  return `${method} ${path} ${JSON.stringify({ headers, chunked, body: body?.toString('latin1').slice(0, 500) })}`;
}
