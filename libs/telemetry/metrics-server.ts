import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reachableAddress, VERSION } from '#config';
import { hasPassword } from './basic-password.js';
import type { Logger } from './logger.js';
import type { ProcessMetrics } from './process-metrics.js';

/** How many ports are tried, from the first one on. */
const PORTS_TRIED = 100;
/** Node looks for requests that take too long each 30 s only, unless it is told otherwise. */
const LIMITS = { requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };

interface MetricsServerOptions {
  readonly host: string;
  /** It takes the first free port from here on; 0: any. */
  readonly firstPort: number;
  /** The setting of the port, for people. */
  readonly setting: string;
  readonly password: string | undefined;
  /** What `/healthz` tells beside the version. */
  readonly identity: Readonly<Record<string, string>>;
  readonly isReady: () => boolean;
}

export interface MetricsServer {
  readonly port: number;
  /** How others reach it, as `host:port`. */
  readonly address: string;
  close(): void;
}

/**
 * A process's own listener: `/metrics` (behind METRICS_PASSWORD if it is set), `/healthz` and `/readyz`. It takes the
 * first free port, so several processes need one setting, and a restarted one has its port again. If no port is free it
 * does not listen: a process without metrics still does its work.
 */
export async function serveMetrics(
  metrics: ProcessMetrics,
  log: Logger,
  options: MetricsServerOptions,
): Promise<MetricsServer | undefined> {
  const { host, firstPort, setting } = options;
  const server = createServer(LIMITS, (request, response) => {
    void answer(request, response, metrics, options);
  });
  server.unref();
  try {
    const port = await listen(server, host, firstPort);
    return {
      port,
      address: reachableAddress(host, port),
      close: () => {
        server.close();
        server.closeAllConnections();
      },
    };
  } catch (error) {
    const settings = `${setting.replace('PORT', 'HOST')}, ${setting}`;
    const reason = error instanceof Error ? error.message : String(error);
    log.warn(`this process serves no metrics on ${host} from port ${firstPort} on (${settings}): ${reason}`);
    return undefined;
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: ProcessMetrics,
  { password, identity, isReady }: MetricsServerOptions,
): Promise<void> {
  const reply = (status: number, body: string, headers: Record<string, string> = {}) =>
    response
      .writeHead(status, {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        ...headers,
      })
      .end(body);
  const path = request.url?.split('?')[0];
  if (request.method !== 'GET' || path === undefined) {
    reply(405, '{"status":"only GET"}', { allow: 'GET' });
  } else if (path === '/healthz') {
    reply(200, JSON.stringify({ status: 'ok', version: VERSION, ...identity }));
  } else if (path === '/readyz') {
    if (isReady()) reply(200, '{"status":"ready"}');
    else reply(503, '{"status":"unready"}');
  } else if (path !== '/metrics') {
    reply(404, '{"status":"no such path"}');
  } else if (password && !hasPassword(request.headers.authorization, password)) {
    reply(401, '{"status":"unauthorized"}', {
      'www-authenticate': 'Basic realm="Heliograph metrics", charset="UTF-8"',
    });
  } else {
    reply(200, await metrics.registry.metrics(), { 'content-type': metrics.registry.contentType });
  }
}

/** Listens on the first free port of the range. */
async function listen(server: Server, host: string, firstPort: number): Promise<number> {
  const lastPort = firstPort === 0 ? 0 : Math.min(firstPort + PORTS_TRIED - 1, 65_535);
  for (let port = firstPort; ; port += 1) {
    try {
      const listening = once(server, 'listening');
      server.listen(port, host);
      await listening;
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port >= lastPort) throw error;
    }
  }
}
