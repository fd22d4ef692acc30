import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TEST_CERTIFICATE_PEM, TEST_KEY_PEM } from './tls-identity.js';

/** One request as it came. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: URLSearchParams;
  readonly socket: Socket;
  readonly answer: ServerResponse;
}

export type ApiScript = (request: ApiRequest, index: number) => void;

/** A message API whose answers a spec writes itself. */
export class ScriptedApi {
  readonly requests: ApiRequest[] = [];
  connections = 0;
  underWayMax = 0;
  private underWay = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** May be changed at any time. */
    public script: ApiScript,
  ) {}

  static async listen(script: ApiScript = created(), how: { tls?: boolean; port?: number } = {}): Promise<ScriptedApi> {
    const server = how.tls ? createTlsServer({ key: TEST_KEY_PEM, cert: TEST_CERTIFICATE_PEM }) : createServer();
    const api = new ScriptedApi(server as Server, script);
    server.on('request', (message: IncomingMessage, answer: ServerResponse) => api.receive(message, answer));
    server.on('connection', (socket: Socket) => {
      api.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => api.sockets.delete(socket));
    });
    server.on(how.tls ? 'secureConnection' : 'connection', () => {
      api.connections += 1;
    });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(how.port ?? 0, '127.0.0.1', resolve));
    return api;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private receive(message: IncomingMessage, answer: ServerResponse): void {
    const chunks: Buffer[] = [];
    this.underWay += 1;
    this.underWayMax = Math.max(this.underWayMax, this.underWay);
    answer.on('close', () => {
      this.underWay -= 1;
    });
    message.on('error', () => undefined);
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const request = {
        method: message.method ?? '',
        path: message.url ?? '',
        headers: message.headers,
        form: new URLSearchParams(Buffer.concat(chunks).toString()),
        socket: message.socket,
        answer,
      };
      this.requests.push(request);
      this.script(request, this.requests.length - 1);
    });
  }
}

/** 201 with an id of its own for each message. */
export function created(): ApiScript {
  return ({ answer }, index) => json(answer, 201, { sid: `SM${index}`, status: 'queued', error_code: null });
}

/** An error document of the API. */
export function failed(status: number, code?: number, headers: Record<string, string> = {}): ApiScript {
  return ({ answer }) => json(answer, status, { code, message: 'no', status }, headers);
}

export function json(
  answer: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
