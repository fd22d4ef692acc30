import { addToken, type OperatorRole } from '#persistence';
import type { TestGateway } from './gateway.js';
import { HttpClient, type HttpReply, type RequestOptions } from './http-client.js';

/** The operators' API of a gateway, as somebody calls it. Paths begin with `/api`. */
export interface OperatorApi {
  request(method: string, path: string, options?: RequestOptions): Promise<HttpReply>;
  get(path: string): Promise<HttpReply>;
  post(path: string, body?: unknown): Promise<HttpReply>;
  put(path: string, body: unknown): Promise<HttpReply>;
  patch(path: string, body: unknown): Promise<HttpReply>;
  delete(path: string): Promise<HttpReply>;
  /** Closes its connections; call it before the gateway is closed. */
  close(): void;
}

type Gateway = Pick<TestGateway, 'operatorPort' | 'database'>;

/** As a program calls it, with a token of a role. Its name in the audit log is `spec (token ...)`. */
export function operatorApi(gateway: Gateway, role: OperatorRole = 'admin'): OperatorApi {
  let made: Promise<string> | undefined;
  return callerOf(gateway, async () => {
    const expiresAt = new Date(Date.now() + 30 * 86_400_000);
    made ??= addToken(gateway.database, { name: 'spec', role, expiresAt }, 'spec').then(({ token }) => token);
    return { Authorization: `Bearer ${await made}` };
  });
}

/** As a browser calls it: it keeps the cookie, and says where a request comes from. */
export class OperatorBrowser {
  readonly api: OperatorApi;
  cookie: string | undefined;

  constructor(gateway: Gateway) {
    const api = callerOf(gateway, async () => ({
      'Sec-Fetch-Site': 'same-origin',
      ...(this.cookie !== undefined && { Cookie: this.cookie }),
    }));
    this.api = {
      ...api,
      post: (path, json) => this.keepCookie(api.post(path, json)),
      delete: (path) => this.keepCookie(api.delete(path)),
    };
  }

  signIn(name: string, password: string, code?: string): Promise<HttpReply> {
    return this.api.post('/api/session', { name, password, ...(code !== undefined && { code }) });
  }

  private async keepCookie(sent: Promise<HttpReply>): Promise<HttpReply> {
    const reply = await sent;
    const [set] = reply.headers['set-cookie'] ?? [];
    if (set !== undefined) this.cookie = set.split(';')[0];
    return reply;
  }
}

function callerOf(gateway: Gateway, headersOf: () => Promise<Record<string, string>>): OperatorApi {
  const http = new HttpClient(gateway.operatorPort);
  const request: OperatorApi['request'] = async (method, path, options = {}) =>
    http.request(method, path, { ...options, headers: { ...(await headersOf()), ...options.headers } });
  return {
    request,
    get: (path) => request('GET', path),
    post: (path, json) => request('POST', path, { json }),
    put: (path, json) => request('PUT', path, { json }),
    patch: (path, json) => request('PATCH', path, { json }),
    delete: (path) => request('DELETE', path),
    close: () => http.close(),
  };
}
