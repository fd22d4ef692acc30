import type { Queue } from 'bullmq';
import { type FastifyInstance, fastify } from 'fastify';
import type { Config } from '#config';
import { type Database, listCarriers, liveProcesses } from '#persistence';
import { BullDispatchQueue, type DispatchQueue } from '#queue';
import type { Logger } from '#telemetry';
import { trustedProxies } from '../http/client-network.js';
import { refuseSeveralHosts } from '../http/one-host.js';
import { PAGE_HEADERS } from '../http/response-headers.js';
import { leaveBodiesUnread } from '../http/unread-bodies.js';
import { askPassword } from './ask-password.js';
import type { GatewayMetrics } from './gateway-metrics.js';
import { mountQueueBoard } from './queue-board.js';
import { serveMetrics } from './serve-metrics.js';
import { ServiceFigures } from './service-figures.js';

interface OperatorDependencies {
  readonly config: Config;
  readonly database: Database;
  readonly queue: Queue;
  readonly dispatchQueue: DispatchQueue;
  readonly metrics: GatewayMetrics;
  readonly log: Logger;
}

/** Requests to this listener have small bodies only. */
const BODY_BYTES_MAX = 16 * 1024;

/**
 * The operators' own listener, separate from the clients': `/queues`, `/metrics` and `/carriers` (the binds of each
 * worker), behind a password (any user name, HTTP Basic). Undefined if no password is set: then nothing listens.
 */
export async function startOperatorListener(dependencies: OperatorDependencies): Promise<FastifyInstance | undefined> {
  const { config, database, metrics } = dependencies;
  const password = config.OPERATOR_PASSWORD;
  if (password === undefined) return undefined;
  const server = fastify({
    forceCloseConnections: true,
    requestTimeout: 15_000,
    bodyLimit: BODY_BYTES_MAX,
    http: { maxHeaderSize: 16 * 1024, headersTimeout: 10_000 },
    ...trustedProxies(config),
  });
  server.addHook('onRequest', async (_request, reply) => {
    void reply.headers(PAGE_HEADERS);
  });
  leaveBodiesUnread(server);
  refuseSeveralHosts(server);
  askPassword(server, config, password, metrics, dependencies.log);
  serveMetrics(server, metrics, new ServiceFigures(database, dependencies.dispatchQueue), database);
  server.get('/carriers', async () => {
    const workers = await liveProcesses(database, 'worker');
    return workers.map(({ processId, details }) => ({ worker: processId, carriers: details.carriers ?? [] }));
  });
  server.get('/', (_request, reply) => reply.redirect('/queues'));
  const { dispatchQueue } = dependencies;
  const turns = dispatchQueue instanceof BullDispatchQueue ? dispatchQueue.turns : undefined;
  await mountQueueBoard(server, dependencies.queue, turns, async () => {
    if (!(dispatchQueue instanceof BullDispatchQueue)) return [];
    const carriers = await listCarriers(database);
    return carriers.map(({ carrierId, name }) => ({ carrier: name, queue: dispatchQueue.queueOf(carrierId) }));
  });
  await server.listen({ host: config.OPERATOR_HOST, port: config.OPERATOR_PORT });
  return server;
}
