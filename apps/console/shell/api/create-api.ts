import { heedPollFactor } from '../poll-every.js';
import { heedServiceTime } from '../service-time.js';
import { ApiError } from './api-error.js';
import { errorFrom, noAnswer, sessionOver } from './problem.js';

/** After which nothing more is waited for: an answer, or more of a long one. */
const SILENCE_MAX_MS = 30_000;

/** Reads an answer; `heard` says that more of it has come. */
type Take<Answer> = (response: Response, heard: () => void) => Promise<Answer>;

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The page asks by itself: it may wait for others, keeps no session alive, and asks again as the service says. */
  readonly isBackground?: boolean;
  /** How long an answer is waited for, if it may take longer than others. */
  readonly silenceMaxMs?: number;
}

export interface ApiSettings {
  /** Headers of every request, e.g. the token. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** The session is over. The pages stay as they are; somebody signs in again over them. */
  readonly onUnauthorized?: () => void;
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
  const call = async <Answer>(path: string, options: RequestOptions, take: Take<Answer>): Promise<Answer> => {
    const { method = 'GET', query, body, signal, isBackground = false, silenceMaxMs = SILENCE_MAX_MS } = options;
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), silenceMaxMs);
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMaxMs);
    };
    try {
      const wanted = {
        method,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(isBackground && { 'x-background': '1' }),
          ...headers(),
          ...options.headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
        cache: 'no-store' as const,
      };
      const response = await fetch(`${path}${searchOf(query)}`, wanted);
      heedServiceTime(response.headers.get('date'));
      if (isBackground) heedPollFactor(response.headers.get('x-poll-factor'));
      if (!response.ok && response.status !== 304) throw await errorFrom(response);
      return await take(response, heard);
    } catch (error) {
      if (!(error instanceof ApiError)) throw signal?.aborted ? error : noAnswer();
      if (!error.isOfSession || onUnauthorized === undefined) throw error;
      onUnauthorized();
      throw sessionOver();
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    request: <Answer>(path: string, options: RequestOptions = {}) => {
      const address = `${path}${searchOf(options.query)}`;
      const known = marked.get(address);
      const wanted = { ...options, ...(known && { headers: { ...options.headers, 'if-none-match': known.etag } }) };
      return call(path, wanted, async (response) => {
        if (response.status === 304) return known?.answer as Answer;
        const answer = response.status === 204 ? undefined : await response.json();
        const etag = response.headers.get('etag');
        if (etag !== null) marked.set(address, { etag, answer });
        return answer as Answer;
      });
    },
    download: (path, options = {}) => call(path, options, blobOf),
  };
}

/** An export may take many minutes: it is waited for as long as more of it comes. */
function blobOf({ body, headers }: Response, heard: () => void): Promise<Blob> {
  const telling = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, rest) => {
      heard();
      rest.enqueue(chunk);
    },
  });
  return new Response(body?.pipeThrough(telling), { headers }).blob();
}

function searchOf(query: RequestOptions['query']): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
