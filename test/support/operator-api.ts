import { OPERATOR_PASSWORD, type TestGateway } from './gateway.js';
import { HttpClient, type HttpReply, type RequestOptions } from './http-client.js';

/** The operators' API of a gateway, as somebody of a role calls it. */
export interface OperatorApi {
  request(method: string, path: string, options?: RequestOptions): Promise<HttpReply>;
  get(path: string): Promise<HttpReply>;
  post(path: string, body: unknown): Promise<HttpReply>;
  put(path: string, body: unknown): Promise<HttpReply>;
  patch(path: string, body: unknown): Promise<HttpReply>;
  delete(path: string): Promise<HttpReply>;
  /** Closes its connections; call it before the gateway is closed. */
  close(): void;
}

/** Paths begin with `/api`. The name in the audit log is `admin`. */
export function operatorApi(gateway: Pick<TestGateway, 'operatorPort'>): OperatorApi {
  const http = new HttpClient(gateway.operatorPort);
  const authorization = `Basic ${Buffer.from(`admin:${OPERATOR_PASSWORD}`).toString('base64')}`;
  const request: OperatorApi['request'] = (method, path, options = {}) =>
    http.request(method, path, { ...options, headers: { Authorization: authorization, ...options.headers } });
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
