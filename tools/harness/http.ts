import { type Agent, globalAgent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

const ANSWER_TIMEOUT_MS = 60_000;

interface HttpRequest {
  readonly port: number;
  /** Unset: GET. */
  readonly method?: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
  readonly agent: Agent;
  readonly timeoutMs: number;
}

/** What came back, or how it broke off. */
export interface HttpEnd {
  /** 0: no whole response. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Of the socket, where there is no whole response. */
  readonly code?: string;
  /** Whether the request can have left. */
  readonly wasConnected: boolean;
}

/** One request to this machine, to its end. Never rejects. By node:http: fetch spends several times as much. */
export function exchange({ body, timeoutMs, ...target }: HttpRequest): Promise<HttpEnd> {
  return new Promise((resolve) => {
    let wasConnected = false;
    const asked = request({ ...target, host: '127.0.0.1' });
    const late = Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' });
    const bound = setTimeout(() => asked.destroy(late), timeoutMs);
    const end = (result: HttpEnd) => {
      clearTimeout(bound);
      resolve(result);
    };
    const fail = ({ code, message }: NodeJS.ErrnoException) =>
      end({ status: 0, headers: {}, text: '', code: code ?? message, wasConnected });
    asked.on('socket', (socket) => {
      if (!socket.connecting) wasConnected = true;
      else socket.once('connect', () => (wasConnected = true));
    });
    asked.on('error', fail);
    asked.on('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      // Also where it is cut off.
      response.on('error', fail);
      response.on('end', () => end({ status, headers, text, wasConnected: true }));
    });
    asked.end(body);
  });
}

/** A client's POST of a JSON document, beside a load. */
export function postJson(port: number, path: string, body: unknown, apiKey = ''): Promise<HttpEnd> {
  return exchange({
    port,
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', 'x-authorization': apiKey },
    body: JSON.stringify(body),
    agent: globalAgent,
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
}
