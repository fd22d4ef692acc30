import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type FastifyInstance, fastify } from 'fastify';
import type { Config } from '#config';
import { Database, listCarriers, liveProcesses } from '#persistence';
import { DispatchQueues } from '#queue';
import type { Logger } from '#telemetry';
import { serveConsole } from '../console/serve-console.js';
import { trustedProxies } from '../http/client-network.js';
import { refuseSeveralHosts } from '../http/one-host.js';
import { SCRIPTED_PAGE_HEADERS } from '../http/response-headers.js';
import { leaveBodiesUnread } from '../http/unread-bodies.js';
import { CONFIG, LOG } from '../injected.js';
import { serveApi } from './api/serve-api.js';
import { askPassword } from './ask-password.js';
import { GatewayMetrics } from './gateway-metrics.js';
import { OverviewSnapshot } from './overview-snapshot.js';
import { mountQueueBoard } from './queue-board.js';
import { serveMetrics } from './serve-metrics.js';
import { ServiceFigures } from './service-figures.js';

/** Requests to this listener have small bodies only. */
const BODY_BYTES_MAX = 16 * 1024;

const NO_LISTENER =
  'OPERATOR_PASSWORD is not set: this gateway serves no /metrics, no /queues and no /carriers on OPERATOR_PORT';

/**
 * The operators' own listener, separate from the clients': `/api` (`api/endpoint.ts`), `/queues`, `/metrics` and
 * `/carriers` (the binds of each worker), behind a password (any user name, HTTP Basic). If no password is set, nothing
 * listens.
 */
@Injectable()
export class OperatorListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: FastifyInstance | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly queues: DispatchQueues,
    private readonly metrics: GatewayMetrics,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Where it listens, while it does. */
  get port(): number | undefined {
    const address = this.server?.server.address();
    return typeof address === 'object' ? address?.port : undefined;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config } = this;
    if (config.OPERATOR_PASSWORD === undefined) {
      this.log.warn(NO_LISTENER);
      return;
    }
    const server = fastify({
      forceCloseConnections: true,
      genReqId: () => randomUUID(),
      requestTimeout: 15_000,
      bodyLimit: BODY_BYTES_MAX,
      http: { maxHeaderSize: 16 * 1024, headersTimeout: 10_000 },
      ...trustedProxies(config),
    });
    this.server = server;
    server.addHook('onRequest', async (_request, reply) => {
      void reply.headers(SCRIPTED_PAGE_HEADERS);
    });
    leaveBodiesUnread(server);
    refuseSeveralHosts(server);
    askPassword(server, config, config.OPERATOR_PASSWORD, this.metrics, this.log);
    await this.serve(server);
    await server.listen({ host: config.OPERATOR_HOST, port: config.OPERATOR_PORT });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }

  private async serve(server: FastifyInstance): Promise<void> {
    const { database, queues, metrics, config, log } = this;
    serveMetrics(server, metrics, new ServiceFigures(database, queues), database);
    server.get('/carriers', async () => {
      const workers = await liveProcesses(database, 'worker');
      return workers.map(({ processId, details }) => ({ worker: processId, carriers: details.carriers ?? [] }));
    });
    await serveApi(server, database, { config, queues, log, overview: new OverviewSnapshot(database) });
    await serveConsole(server, 'operator');
    await mountQueueBoard(server, queues, async () => (await listCarriers(database)).map(({ name }) => name));
  }
}
