import http from 'node:http';
import https from 'node:https';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { oneLine, VERSION } from '#config/light';
import type { ApiAnswer } from './classify-answer.js';
import { messagesPath } from './message-request.js';
import { readyAgent } from './ready-agent.js';
import type { CompleteHttpSettings } from './settings.js';

/** A message resource has about a kilobyte; a larger answer is not read to its end. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** Nothing is asked to be compressed; some servers, and proxies before them, do it all the same. */
const DECODERS = new Map([
  ['gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** The outcome of a request. */
export type Exchange =
  | { readonly kind: 'answer'; readonly answer: ApiAnswer }
  /** Certainly not written. */
  | { readonly kind: 'not-sent'; readonly code: string; readonly reason: string }
  /** Written, at least in part, and no status came back. */
  | { readonly kind: 'unanswered'; readonly code: string; readonly reason: string };

/** Posts forms to the messages resource of one account, each request on a connection of its own, kept for the next. */
export class ApiClient {
  private readonly agent: http.Agent;
  private readonly options: http.RequestOptions;
  private readonly underWay = new Set<() => void>();

  constructor(private readonly settings: CompleteHttpSettings) {
    this.agent = readyAgent(settings);
    const credentials = Buffer.from(`${settings.systemId}:${settings.password}`).toString('base64');
    this.options = {
      method: 'POST',
      host: settings.host,
      port: settings.port,
      path: messagesPath(settings),
      agent: this.agent,
      headers: {
        authorization: `Basic ${credentials}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': `heliograph/${VERSION}`,
      },
    };
  }

  /** Never rejects, and ends within the two timeouts. */
  post(form: string): Promise<Exchange> {
    return new Promise((resolve) => {
      const body = Buffer.from(form);
      const request = (this.settings.tls ? https : http).request({
        ...this.options,
        headers: { ...this.options.headers, 'content-length': body.length },
      });
      let isOnWire = false;
      let timer: NodeJS.Timeout | undefined;
      let isSettled = false;
      const settle = (exchange: Exchange) => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        this.underWay.delete(abort);
        resolve(exchange);
      };
      let answerSoFar: ApiAnswer | undefined;
      const fail = (code: string, reason: string) => {
        // The status decides the outcome, even if the rest of the answer is missing.
        if (answerSoFar !== undefined) settle({ kind: 'answer', answer: answerSoFar });
        else settle({ kind: isOnWire ? 'unanswered' : 'not-sent', code, reason });
      };
      const abort = () => {
        fail('CLOSING', 'closing');
        request.destroy();
      };
      const giveUp = () => {
        if (isSettled) return;
        fail('RESPONSE_TIMEOUT', 'no answer in time');
        request.destroy();
      };
      this.underWay.add(abort);
      request.on('socket', () => {
        // The agent hands out connections that are ready, so from here on the request may reach the provider.
        isOnWire = true;
        // After the process has stood still, an answer waits in the socket. It is read before the request is given up.
        timer = setTimeout(() => setImmediate(giveUp), this.settings.requestTimeoutMs);
      });
      request.on('error', (error: Error) => {
        fail(isOnWire ? 'CONNECTION_LOST' : connectCode(error), oneLine(error));
      });
      request.on('close', () => fail('CONNECTION_LOST', 'closed without an answer'));
      request.on('response', (response) => {
        const status = response.statusCode ?? 0;
        const partial: ApiAnswer = { status, retryAfter: response.headers['retry-after'], body: undefined };
        answerSoFar = partial;
        readBody(response, (text) => settle({ kind: 'answer', answer: { ...partial, body: text } }));
      });
      request.end(body);
    });
  }

  /** Whether the provider can be reached: connects and, with TLS, verifies. No request is made. */
  probe(): Promise<{ readonly isReached: true } | { readonly isReached: false; readonly reason: string }> {
    return new Promise((resolve) => {
      const { host, port, tlsCaPem } = this.settings;
      // By itself the agent adds these for a request only.
      const tls = { servername: serverName(host), ...(tlsCaPem !== undefined && { ca: tlsCaPem }) };
      this.agent.createConnection({ host, port, ...(this.settings.tls && tls) }, (error, socket) => {
        socket.on('error', () => undefined);
        socket.destroy();
        resolve(error === null ? { isReached: true } : { isReached: false, reason: oneLine(error) });
      });
    });
  }

  /** Ends all requests (in doubt if they were written) and closes every connection. */
  close(): void {
    for (const abort of [...this.underWay]) abort();
    this.agent.destroy();
  }
}

/** Calls back once: with the text, or with undefined when it broke off, is too large or cannot be decoded. */
function readBody(response: http.IncomingMessage, done: (text: string | undefined) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= ANSWER_BYTES_MAX) {
      chunks.push(chunk);
      return;
    }
    done(undefined);
    response.destroy();
  });
  response.on('end', () => done(textOf(Buffer.concat(chunks), response.headers['content-encoding'])));
  response.on('error', () => done(undefined));
  response.on('close', () => done(undefined));
}

function textOf(octets: Buffer, encoding = 'identity'): string | undefined {
  const decode = DECODERS.get(encoding.toLowerCase());
  try {
    return (decode === undefined ? octets : decode(octets, { maxOutputLength: ANSWER_BYTES_MAX })).toString();
  } catch {
    return undefined;
  }
}

/** Codes of network and certificate errors are short words; other values do not belong in a line of codes. */
function connectCode(error: Error & { code?: unknown }): string {
  const { code } = error;
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? `CONNECT_${code}`.slice(0, 40) : 'CONNECT_FAILED';
}

/** RFC 6066 section 3: an address is no name. */
function serverName(host: string): string {
  return /^[\d.]+$|:/.test(host) ? '' : host;
}
