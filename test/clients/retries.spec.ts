import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ConnectionError,
  type Fetch,
  Heliograph,
  type HeliographOptions,
  InvalidRequestError,
  RateLimitError,
  ServiceError,
  TimeoutError,
} from '#client';
import { RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import { errorOf, refusal } from './failed-calls.js';
import { HeardFetch } from './heard-fetch.js';

const SMS = { recipient: RECIPIENT, message: 'Hi' };

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account();
});
afterAll(() => gateway.close());

function clientOf(options: Partial<HeliographOptions> = {}): Heliograph {
  return new Heliograph({ baseUrl: gateway.url, apiKey: account.apiKey, ...options });
}

describe('a send', () => {
  test('whose answer was lost is tried again with the same key, charged once, and answered', async () => {
    const own = await gateway.account();
    const heard = new HeardFetch('lost', 'lost');
    const sent = await clientOf({ apiKey: own.apiKey, fetch: heard.fetch }).messages.send(SMS);
    const keys = heard.requests.map(({ headers }) => headers['Idempotency-Key']);
    expect(keys.length).toBe(3);
    expect(new Set(keys).size).toBe(1);
    expect(new Set(heard.requests.map(({ body }) => body)).size).toBe(1);
    expect(await own.standing()).toEqual({ balance: 99.925, messages: 1 });
    expect((await own.get(`/v1/message/${sent.messageId}`)).status).toBe(200);
  });

  test('has another key each time, and the one that was given', async () => {
    const heard = new HeardFetch();
    const { messages } = clientOf({ fetch: heard.fetch });
    await messages.send(SMS);
    await messages.sendBatch({ messages: [SMS] });
    await messages.send(SMS, { idempotencyKey: 'order-4711' });
    const [first, second, third] = heard.requests.map(({ headers }) => headers['Idempotency-Key']);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
    expect(third).toBe('order-4711');
  });

  test('with a key that no header can have is refused before anything is sent', async () => {
    const heard = new HeardFetch();
    const call = clientOf({ fetch: heard.fetch }).messages.send(SMS, { idempotencyKey: 'bestellung-ä' });
    await expect(call).rejects.toThrow(TypeError);
    expect(heard.requests).toEqual([]);
  });

  test('that failed for good names its key, so that the caller can repeat it', async () => {
    const { fetch } = new HeardFetch('lost');
    const { messages } = clientOf({ fetch, maxRetries: 0 });
    const { idempotencyKey } = await errorOf(messages.send(SMS), ConnectionError);
    const before = await account.standing();
    await messages.send(SMS, { idempotencyKey });
    expect(await account.standing()).toEqual(before);
  });
});

describe('a call is tried again', () => {
  test.each([
    [408, 'request_timeout'],
    [429, 'rate_limited'],
    [500, 'internal_error'],
    [503, 'unavailable'],
  ])('after %i', async (status, code) => {
    const heard = new HeardFetch(refusal(status, code, { 'Retry-After': '0' }));
    expect(await clientOf({ fetch: heard.fetch }).account.balance()).toMatchObject({ currency: 'EUR' });
    expect(heard.requests.length).toBe(2);
  });

  test('after an answer that broke off or is none', async () => {
    const broken = new Response(new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) }));
    const heard = new HeardFetch(broken, new Response('{"bal'));
    expect(await clientOf({ fetch: heard.fetch }).account.balance()).toMatchObject({ currency: 'EUR' });
    expect(heard.requests.length).toBe(3);
  });

  test.each([
    ['seconds', () => '1'],
    ['a date', () => new Date(Date.now() + 2_000).toUTCString()],
  ])('not before the service said, by %s', async (_form, header) => {
    const begun = Date.now();
    const retryAfter = header();
    const heard = new HeardFetch(refusal(429, 'rate_limited', { 'Retry-After': retryAfter }));
    await clientOf({ fetch: heard.fetch }).account.balance();
    const due = Number.isNaN(Number(retryAfter)) ? Date.parse(retryAfter) : begun + Number(retryAfter) * 1_000;
    // A timer may come a little before its time.
    expect(Date.now()).toBeGreaterThanOrEqual(due - 5);
  });

  test('unless the waits would be longer than allowed: the error comes at once, and says when to come back', async () => {
    const heard = new HeardFetch(refusal(429, 'rate_limited', { 'Retry-After': '3600' }));
    const begun = performance.now();
    const error = await errorOf(clientOf({ fetch: heard.fetch }).account.balance(), RateLimitError);
    expect([error.retryAfterSeconds, heard.requests.length]).toEqual([3600, 1]);
    expect(performance.now() - begun).toBeLessThan(60_000);
    const soon = new HeardFetch(refusal(429, 'rate_limited', { 'Retry-After': '1' }));
    await errorOf(clientOf({ fetch: soon.fetch }).account.balance({ retryWaitMaxMs: 900 }), RateLimitError);
    expect(soon.requests.length).toBe(1);
  });

  test('as often as allowed, then its last error comes', async () => {
    const answers = Array.from({ length: 9 }, () => refusal(503, 'unavailable', { 'Retry-After': '0' }));
    const heard = new HeardFetch(...answers);
    await errorOf(clientOf({ fetch: heard.fetch, maxRetries: 2 }).account.balance(), ServiceError);
    expect(heard.requests.length).toBe(3);
  });

  test('never after a refusal that would come again', async () => {
    const heard = new HeardFetch();
    await errorOf(clientOf({ fetch: heard.fetch }).messages.send({ ...SMS, message: '' }), InvalidRequestError);
    expect(heard.requests.length).toBe(1);
  });

  test('a new key is not, unless nothing was begun: two would be made', async () => {
    const own = await gateway.account();
    const key = { name: 'shop', scopes: ['send' as const] };
    const lost = new HeardFetch('lost');
    await errorOf(clientOf({ apiKey: own.apiKey, fetch: lost.fetch }).keys.create(key), ConnectionError);
    expect(lost.requests.length).toBe(1);
    const shed = refusal(503, 'overloaded', { 'Retry-After': '0' });
    const { fetch } = new HeardFetch(shed);
    expect((await clientOf({ apiKey: own.apiKey, fetch }).keys.create(key)).name).toBe('shop');
  });
});

describe('a call ends', () => {
  const silent: Fetch = (_url, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const deaf: Fetch = () => new Promise(() => undefined);

  test.each([
    ['that hears the signal', silent],
    ['that does not', deaf],
  ])('when no answer comes in time, by a fetch %s', async (_which, fetch) => {
    const error = await errorOf(clientOf({ fetch, timeoutMs: 50, maxRetries: 0 }).account.balance(), TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
  });

  test.each([
    ['an answer', 200],
    ['a refusal', 503],
  ])('when the end of %s does not come in time, although its beginning did', async (_what, status) => {
    const partMs = 200;
    const fetch: Fetch = async () => {
      await delay(partMs);
      const body = new ReadableStream<Uint8Array>({
        async start(stream) {
          await delay(partMs);
          stream.enqueue(new TextEncoder().encode('{}'));
          stream.close();
        },
      });
      return new Response(body, { status });
    };
    const { account: its } = clientOf({ fetch, timeoutMs: 1.5 * partMs, maxRetries: 0 });
    await errorOf(its.balance(), TimeoutError);
  });

  test('never by itself when there is no limit', async () => {
    const { account: its } = clientOf({ timeoutMs: Number.POSITIVE_INFINITY });
    expect(await its.balance()).toMatchObject({ currency: 'EUR' });
  });

  test('when its signal says so, with the reason: under way, between two attempts, and before it has begun', async () => {
    const reason = new Error('enough');
    const stop = new AbortController();
    const underWay = [silent, deaf].map((fetch) => clientOf({ fetch }).account.balance({ signal: stop.signal }));
    stop.abort(reason);
    for (const call of underWay) await expect(call).rejects.toBe(reason);

    const waiting = new AbortController();
    const heard = new HeardFetch(refusal(503, 'unavailable', { 'Retry-After': '30' }));
    const inWait = clientOf({ fetch: heard.fetch }).account.balance({ signal: waiting.signal });
    setTimeout(() => waiting.abort(reason), 100);
    await expect(inWait).rejects.toBe(reason);

    const none = new HeardFetch();
    await expect(clientOf({ fetch: none.fetch }).account.balance({ signal: stop.signal })).rejects.toBe(reason);
    expect(none.requests).toEqual([]);
  });

  test('an export too: in time, by its signal, and with an error when it broke off', async () => {
    const one = new TextEncoder().encode('{"entry":1}\n');
    const read = async (fetch: Fetch, signal?: AbortSignal) => {
      const seen: number[] = [];
      const { ledger } = clientOf({ fetch, timeoutMs: 100, maxRetries: 0 });
      try {
        for await (const { entry } of ledger.exportRows({ signal })) seen.push(entry);
      } catch (error) {
        return { seen, error };
      }
      return { seen, error: undefined };
    };
    const stalls: Fetch = async (_url, { signal }) => {
      const body = new ReadableStream<Uint8Array>({
        start(stream) {
          stream.enqueue(one);
          signal.addEventListener('abort', () => stream.error(signal.reason));
        },
      });
      return new Response(body);
    };
    expect(await read(stalls)).toMatchObject({ seen: [1], error: { name: 'TimeoutError' } });
    const stop = new AbortController();
    setTimeout(() => stop.abort('enough'), 20);
    expect(await read(stalls, stop.signal)).toEqual({ seen: [1], error: 'enough' });
    const breaks: Fetch = async () => {
      const parts = [one];
      const body = new ReadableStream<Uint8Array>({
        pull(stream) {
          const part = parts.shift();
          if (part === undefined) stream.error(new TypeError('terminated'));
          else stream.enqueue(part);
        },
      });
      return new Response(body);
    };
    expect(await read(breaks)).toMatchObject({ seen: [1], error: { name: 'ConnectionError' } });
    const endsInRow: Fetch = () => Promise.resolve(new Response('{"entry":1}\n{"ent'));
    expect(await read(endsInRow)).toMatchObject({ seen: [1], error: { name: 'ConnectionError' } });
    const fromProxy: Fetch = () => Promise.resolve(new Response('<html>\nSign in\n</html>\n'));
    expect(await read(fromProxy)).toMatchObject({ seen: [], error: { message: 'The answer is not JSON' } });
  });

  test('an export that is left early ends at the service', async () => {
    let isCanceled = false;
    const fetch: Fetch = () => {
      const part = new TextEncoder().encode('{"entry":1}\n');
      const body = new ReadableStream<Uint8Array>({
        pull: (stream) => stream.enqueue(part),
        cancel: () => {
          isCanceled = true;
        },
      });
      return Promise.resolve(new Response(body));
    };
    for await (const _entry of clientOf({ fetch }).ledger.exportRows()) break;
    expect(isCanceled).toBe(true);
  });
});
