import { Attempt } from './attempt.js';
import { ConnectionError, errorOf, HeliographError } from './errors.js';
import type { CallLimits, CallOptions, Fetch, FetchAnswer, FetchInit, HeliographOptions } from './options.js';
import { isWorthRetrying, retryAfterSeconds, wait, waitMsBefore } from './retries.js';
import type { Problem } from './types.gen.js';

export const VERSION = '0.2.0';
const DEFAULTS = { timeoutMs: 30_000, maxRetries: 3, retryWaitMaxMs: 60_000 };

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One request to the service. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  /** False: done twice it does more than done once, so it is not tried again when nobody knows what became of it. */
  readonly isRepeatable?: boolean;
}

type WrittenRequest = Omit<FetchInit, 'signal'> & { readonly url: string };

/** Speaks HTTP with the service: adds the key, tries again, and throws what is not 2xx. */
export class Transport {
  readonly #base: string;
  readonly #apiKey: string;
  readonly #fetch: Fetch;
  readonly #limits: CallLimits;

  constructor({ baseUrl, apiKey, fetch, ...limits }: HeliographOptions) {
    if (typeof apiKey !== 'string' || !/^[!-~]+$/.test(apiKey)) throw new HeliographError('apiKey is not an API key');
    const { href } = new URL(baseUrl);
    // `localhost:3000` is a URL too: of the scheme `localhost:`. And no fetch takes a URL with a password.
    if (!/^https?:..[^@/]+\//.test(href))
      throw new HeliographError('baseUrl is not an address such as https://sms.example.com');
    this.#base = href.replace(/[?#].*$/, '').replace(/\/+$/, '');
    this.#apiKey = apiKey;
    // Called as a method of something else, the global one of browsers throws.
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#limits = limits;
  }

  /** The answer as JSON. */
  json<Answer>(call: Call, options: CallOptions = {}): Promise<Answer> {
    return this.#retrying(call, options, async (attempt, answer) => {
      const text = await answer.text();
      attempt.end();
      return parsed(text) as Answer;
    });
  }

  get<Answer>(path: string, options?: CallOptions, query?: Query): Promise<Answer> {
    return this.json({ method: 'GET', path, query }, options);
  }

  post<Answer>(path: string, body: unknown, options?: CallOptions): Promise<Answer> {
    return this.json({ method: 'POST', path, body }, options);
  }

  /** The answer as it comes. When it ends in order, it is whole. Only its beginning is tried again. */
  async *bytes(call: Call, options: CallOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const { attempt, body } = await this.#retrying(call, options, async (attempt, answer) => ({
      attempt,
      body: answer.body,
    }));
    const reader = body?.getReader();
    try {
      for (;;) {
        const part = await attempt.inTime(async () => reader?.read());
        if (part?.value === undefined) return;
        yield part.value;
      }
    } finally {
      attempt.end();
      // Of a reader that is not read to its end: the service stops.
      await reader?.cancel().catch(() => undefined);
    }
  }

  async #retrying<Result>(
    call: Call,
    options: CallOptions,
    read: (attempt: Attempt, answer: FetchAnswer) => Promise<Result>,
  ): Promise<Result> {
    const { signal } = options;
    const limits = limitsOf(options, this.#limits);
    const request = this.#request(call, options);
    let waitedMs = 0;
    for (let retry = 0; ; retry += 1) {
      signal?.throwIfAborted();
      const attempt = new Attempt(signal, limits.timeoutMs);
      try {
        // One time for all of it: an answer whose end never comes is as late as one that never begins.
        return await attempt.inTime(async () => read(attempt, await this.#answer(attempt, request)));
      } catch (error) {
        attempt.end();
        if (!(error instanceof HeliographError)) throw error;
        error.idempotencyKey = call.idempotencyKey;
        const waitMs = waitMsBefore(retry, error);
        waitedMs += waitMs;
        const isOver = retry >= limits.maxRetries || waitedMs > limits.retryWaitMaxMs;
        if (isOver || !isWorthRetrying(error, call.isRepeatable ?? true)) throw error;
        await wait(waitMs, signal);
      }
    }
  }

  #request(call: Call, { requestId }: CallOptions): WrittenRequest {
    const { method, path, query, body, idempotencyKey } = call;
    // Of an empty id, `.` or `..`: it would be asked for elsewhere.
    if (/\/\.{0,2}(\/|$)/.test(path)) throw new TypeError(`${path} has no id`);
    for (const text of [idempotencyKey, requestId]) {
      // It could not be sent at all, which would look like a fault of the network.
      if (text !== undefined && !/^[ -~]+$/.test(text)) throw new TypeError(`${JSON.stringify(text)} is no header`);
    }
    return {
      url: `${this.#base}${path}${queryText(query)}`,
      method,
      redirect: 'manual',
      headers: {
        'X-Authorization': this.#apiKey,
        'User-Agent': `heliograph-client/${VERSION}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        ...(requestId !== undefined && { 'X-Request-Id': requestId }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
  }

  async #answer({ signal }: Attempt, { url, ...init }: WrittenRequest): Promise<FetchAnswer> {
    const answer = await this.#fetch(url, { ...init, signal });
    const { status, headers } = answer;
    if (status >= 200 && status < 300) return answer;
    throw errorOf({
      status,
      problem: problemOf(await answer.text()),
      requestId: headers.get('x-request-id') ?? undefined,
      retryAfterSeconds: retryAfterSeconds(headers.get('retry-after')),
    });
  }
}

/** @throws ConnectionError: something else has answered, or a part is missing */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConnectionError('The answer is not JSON', { cause });
  }
}

function problemOf(text: string): Problem | undefined {
  try {
    const body = JSON.parse(text) as Problem | null;
    return typeof body?.code === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}

function limitsOf(call: CallLimits, client: CallLimits): typeof DEFAULTS {
  return {
    timeoutMs: call.timeoutMs ?? client.timeoutMs ?? DEFAULTS.timeoutMs,
    maxRetries: call.maxRetries ?? client.maxRetries ?? DEFAULTS.maxRetries,
    retryWaitMaxMs: call.retryWaitMaxMs ?? client.retryWaitMaxMs ?? DEFAULTS.retryWaitMaxMs,
  };
}

/** Parameters that are undefined are left out. */
function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
