import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

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
export function exchange({
  port,
  method = 'GET',
  path,
  headers = {},
  body,
  agent,
  timeoutMs,
}: HttpRequest): Promise<HttpEnd> {
  return new Promise((resolve) => {
    let wasConnected = false;
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const asked = request({ agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } });
    const fail = (code: string) => end({ status: 0, headers: {}, text: '', code, wasConnected });
    const bound = setTimeout(
      () => asked.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    );
    const end = (result: HttpEnd) => {
      clearTimeout(bound);
      resolve(result);
    };
    const broken = (error: NodeJS.ErrnoException) => fail(error.code ?? error.message);
    asked.on('socket', (socket) => {
      if (!socket.connecting) wasConnected = true;
      else socket.once('connect', () => (wasConnected = true));
    });
    asked.on('error', broken);
    asked.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', broken);
      response.on('aborted', () => fail('ABORTED'));
      response.on('end', () =>
        end({ status: response.statusCode ?? 0, headers: response.headers, text, wasConnected: true }),
      );
    });
    asked.end(body);
  });
}
