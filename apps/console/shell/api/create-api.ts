import { heedPollFactor } from '../poll-every.js';
import type { ApiError } from './api-error.js';
import { errorFrom, noAnswer } from './problem.js';

const TIMEOUT_MS = 30_000;

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The page asks by itself: it may wait for others, keeps no session alive, and asks again as the service says. */
  readonly isBackground?: boolean;
}

export interface ApiSettings {
  /** Headers of every request, e.g. the token. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** The session is over. The pages stay as they are; somebody signs in again over them. */
  readonly onUnauthorized?: (error: ApiError) => void;
}

export interface Api {
  /** @throws ApiError when it is refused, or there is no answer */
  request<Answer>(path: string, options?: RequestOptions): Promise<Answer>;
  /** An answer that is no JSON, e.g. an export. */
  download(path: string, options?: RequestOptions): Promise<Blob>;
}

/** An answer that came with a mark, by which the service knows it again. */
interface MarkedAnswer {
  readonly etag: string;
  readonly answer: unknown;
}

export function createApi({ headers = () => ({}), onUnauthorized }: ApiSettings): Api {
  // By address. What many look at has a mark, and nothing else.
  const marked = new Map<string, MarkedAnswer>();
  const call = async (path: string, options: RequestOptions): Promise<Response> => {
    const { method = 'GET', query, body, signal, isBackground = false } = options;
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${path}${searchOf(query)}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(isBackground && { 'x-background': '1' }),
        ...headers(),
        ...options.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      cache: 'no-store',
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw noAnswer();
    });
    if (isBackground) heedPollFactor(response.headers.get('x-poll-factor'));
    if (response.ok || response.status === 304) return response;
    const error = await errorFrom(response);
    if (response.status === 401) onUnauthorized?.(error);
    throw error;
  };
  return {
    request: async <Answer>(path: string, options: RequestOptions = {}) => {
      const address = `${path}${searchOf(options.query)}`;
      const known = marked.get(address);
      const response = await call(path, {
        ...options,
        ...(known && { headers: { ...options.headers, 'if-none-match': known.etag } }),
      });
      if (response.status === 304) return known?.answer as Answer;
      const answer = response.status === 204 ? undefined : await response.json();
      const etag = response.headers.get('etag');
      if (etag !== null) marked.set(address, { etag, answer });
      return answer as Answer;
    },
    download: async (path, options = {}) => (await call(path, options)).blob(),
  };
}

function searchOf(query: RequestOptions['query']): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
