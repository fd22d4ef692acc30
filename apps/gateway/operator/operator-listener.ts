import { createHash, timingSafeEqual } from 'node:crypto';
import type { Queue } from 'bullmq';
import { type FastifyInstance, fastify } from 'fastify';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '#config';
import { type Database, listCarriers, liveMetrics, liveProcesses, type Replica } from '#persistence';
import { BullDispatchQueue, type DispatchQueue } from '#queue';
import { PAGE_HEADERS } from '../http/response-headers.js';
import type { GatewayMetrics } from './gateway-metrics.js';
import { mountQueueBoard } from './queue-board.js';
import { StoreMetrics } from './store-metrics.js';

interface OperatorDependencies {
  readonly config: Config;
  readonly database: Database;
  readonly replica: Replica | undefined;
  readonly queue: Queue;
  readonly dispatchQueue: DispatchQueue;
  readonly metrics: GatewayMetrics;
}

/**
 * The operators' own listener, away from the clients' one: `/queues`, `/metrics` and `/carriers` (how each worker's binds stand) behind a password (any user name,
 * HTTP Basic). Undefined when no password is set: then nothing listens.
 */
export async function startOperatorListener(dependencies: OperatorDependencies): Promise<FastifyInstance | undefined> {
  const { config, database, metrics } = dependencies;
  const password = config.OPERATOR_PASSWORD;
  if (password === undefined) return undefined;
  const server = fastify({ forceCloseConnections: true, requestTimeout: 15_000 });
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers(PAGE_HEADERS);
    if (isRight(request.headers.authorization, password)) return;
    await reply
      .status(401)
      .header('www-authenticate', 'Basic realm="Heliograph operator", charset="UTF-8"')
      .send({ success: false, code: 'unauthorized' });
  });
  const store = new StoreMetrics(metrics.registry, database, dependencies.dispatchQueue, dependencies.replica);
  server.get('/metrics', async (_request, reply) => {
    await store.refresh();
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await allMetrics(metrics, database));
  });
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

/** This gateway's metrics with those that the live workers have left in the database. */
async function allMetrics(metrics: GatewayMetrics, database: Database): Promise<string> {
  const workers = await liveMetrics(database, 'worker').catch(() => []);
  const snapshots = [await metrics.registry.getMetricsAsJSON(), ...workers];
  return AggregatorRegistry.aggregate(snapshots as Parameters<typeof AggregatorRegistry.aggregate>[0]).metrics();
}

function isRight(header: string | undefined, password: string): boolean {
  const credentials = /^basic /i.test(header ?? '') ? Buffer.from(header?.slice(6) ?? '', 'base64').toString() : '';
  const given = credentials.slice(credentials.indexOf(':') + 1);
  return timingSafeEqual(sha256(given), sha256(password));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
