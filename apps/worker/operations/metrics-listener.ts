import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Config, reachableAddress, VERSION } from '#config';
import { hasPassword, type Logger } from '#telemetry';
import { CONFIG, LOG, WORKER_ID } from '../injected.js';
import { WorkerMetrics } from './worker-metrics.js';

/** How many ports are tried, from WORKER_METRICS_PORT on. */
const PORTS_TRIED = 100;
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * A worker's own listener: `/metrics` (behind METRICS_PASSWORD if it is set), `/healthz` and `/readyz`. It takes the
 * first free port from WORKER_METRICS_PORT on, so several workers need one setting, and a restarted worker has its port
 * again. If no port is free it does not listen: a worker without metrics still sends messages.
 */
@Injectable()
export class MetricsListener implements OnApplicationShutdown {
  private server: Server | undefined;
  /** Undefined when no port was free. */
  port: number | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(WORKER_ID) private readonly workerId: string,
    @Inject(LOG) private readonly log: Logger,
    private readonly metrics: WorkerMetrics,
  ) {}

  /** How others reach it, as `host:port`. */
  get address(): string | undefined {
    return this.port === undefined ? undefined : reachableAddress(this.config.WORKER_METRICS_HOST, this.port);
  }

  /** @param isReady whether the worker dispatches messages and has written its heartbeat */
  async listen(isReady: () => boolean): Promise<void> {
    const { WORKER_METRICS_HOST: host, WORKER_METRICS_PORT: firstPort } = this.config;
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
      void this.answer(request, response, isReady);
    });
    server.unref();
    try {
      this.port = await listen(server, host, firstPort);
      this.server = server;
    } catch (error) {
      const why = 'this worker serves no metrics: WORKER_METRICS_PORT has no free port';
      this.log.warn({ err: error, host, firstPort }, why);
    }
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse, isReady: () => boolean): Promise<void> {
    const { config, metrics, workerId } = this;
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
      reply(200, JSON.stringify({ status: 'ok', version: VERSION, workerId }));
    } else if (path === '/readyz') {
      if (isReady()) reply(200, '{"status":"ready"}');
      else reply(503, '{"status":"unready"}');
    } else if (path !== '/metrics') {
      reply(404, '{"status":"no such path"}');
    } else if (config.METRICS_PASSWORD && !hasPassword(request.headers.authorization, config.METRICS_PASSWORD)) {
      reply(401, '{"status":"unauthorized"}', {
        'www-authenticate': 'Basic realm="Heliograph metrics", charset="UTF-8"',
      });
    } else {
      reply(200, await metrics.registry.metrics(), { 'content-type': metrics.registry.contentType });
    }
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
