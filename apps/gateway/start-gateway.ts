import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { hostname } from 'node:os';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type Config,
  processDetails,
  reachableAddress,
  requireDatabaseUrl,
  secretsKeysOf,
  sessionDatabaseUrl,
} from '#config';
import {
  ChangeListener,
  checkSessions,
  Database,
  KeepHeartbeat,
  noticeRestoredDatabase,
  restoreAdvice,
  SecretKeys,
} from '#persistence';
import { BULL_QUEUE, DispatchQueue, queueBackEnd, useQueueBackEnd } from '#queue';
import { type Logger, nestLogger } from '#telemetry';
import { followReplica, openReplica } from './account/follow-replica.js';
import { CarrierDirectory } from './carriers/carrier-directory.js';
import { serveCallbacks } from './carriers/serve-callbacks.js';
import { TakeCallback } from './carriers/take-callback.js';
import { GatewayModule } from './gateway.module.js';
import { AccessLog } from './http/access-log.js';
import { ApiKeys } from './http/api-keys.js';
import { authenticate } from './http/authenticate.js';
import { answerClientError } from './http/client-error.js';
import { trustedProxies } from './http/client-network.js';
import { Draining } from './http/draining.js';
import { responseJson } from './http/exact-json.js';
import { readJsonBodies } from './http/json-body.js';
import { KnownPaths } from './http/known-paths.js';
import { limitLargeBodies } from './http/large-bodies.js';
import { limitFreeRequests } from './http/limit-free-requests.js';
import { batchBodyBytesMax, limitBodies } from './http/limits.js';
import { refuseSeveralHosts } from './http/one-host.js';
import { ProblemFilter } from './http/problem.filter.js';
import { addResponseHeaders } from './http/response-headers.js';
import { TlsFiles } from './http/tls-files.js';
import { leaveBodiesUnread } from './http/unread-bodies.js';
import { validationPipe } from './http/validation.pipe.js';
import { AnnounceOrders } from './messages/announce-orders.js';
import { GroupCommit } from './messages/group-commit.js';
import { serveDocumentation } from './openapi/serve-documentation.js';
import { GatewayMetrics } from './operator/gateway-metrics.js';
import { startOperatorListener } from './operator/operator-listener.js';
import { RouteBook } from './routes/route-book.js';
import { TariffBook } from './tariffs/tariff-book.js';

const HEAD_LIMITS = { maxHeaderSize: 16 * 1024, headersTimeout: 10_000 };
/** Below this, reads would fail on a busy machine. */
const STATEMENT_TIMEOUT_LEAST_MS = 1_000;

const NO_OPERATOR_LISTENER =
  'OPERATOR_PASSWORD is not set: this gateway serves no /metrics, no /queues and no /carriers on OPERATOR_PORT';

export interface RunningGateway {
  readonly port: number;
  readonly operatorPort: number | undefined;
  /** Stops accepting, finishes what is in flight, closes. */
  close(): Promise<void>;
}

/** Builds and starts a gateway from its settings; the one way that the process and the tests share. */
export async function startGateway(config: Config, log: Logger): Promise<RunningGateway> {
  const databaseUrl = requireDatabaseUrl(config);
  const tls = TlsFiles.open(config, log);
  const database = await Database.open({
    url: databaseUrl,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'heliograph-gateway',
    secretKeys: new SecretKeys(secretsKeysOf(config)),
    // A commit that waits for a lock has the same end as a send that waits for its commit.
    statementTimeoutMs: Math.max(config.ACCEPT_WAIT_MAX_MS, STATEMENT_TIMEOUT_LEAST_MS),
  });
  await checkSessions(config, database, queueBackEnd(config) === 'postgres', (advice) => log.warn(advice));
  // What is accepted from now on is not held: only what a restored database held when it was noticed.
  const noticeRestore = async () => {
    const notice = await noticeRestoredDatabase(database, config.HOLD_AFTER_FAILOVER === 'on');
    if (notice !== undefined) log.warn({ change: notice.change, heldBefore: notice.heldBefore }, restoreAdvice(notice));
  };
  await noticeRestore();
  useQueueBackEnd(config);
  const metrics = new GatewayMetrics();
  const replica = openReplica(config);
  if (replica !== undefined) metrics.showReplica(database, replica);
  const reads = followReplica(database, replica, metrics, log);
  const accessLog = new AccessLog(config, log);
  const problems = new ProblemFilter(log, metrics);
  const adapter = new FastifyAdapter({
    bodyLimit: batchBodyBytesMax(config),
    ...trustedProxies(config),
    connectionTimeout: 0,
    requestTimeout: 30_000,
    keepAliveTimeout: 75_000,
    // A request on its way in while the gateway stops is answered like any other, not with a bare 503.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, accessLog.unreadable),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      accessLog.unreadable(request.id, problems.answer(error, request, reply)),
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id']),
    ...(tls === undefined ? { http: HEAD_LIMITS } : { https: { ...HEAD_LIMITS, ...tls.options } }),
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.with(config, database, reads, metrics, log),
    adapter,
    {
      bodyParser: false,
      logger: nestLogger(log),
      abortOnError: false,
    },
  );
  const keys = app.get(ApiKeys);
  const tariffs = app.get(TariffBook);
  const carriers = app.get(CarrierDirectory);
  const routes = app.get(RouteBook);
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  const draining = app.get(Draining);
  prepareHttp(fastify, config, keys, metrics, draining);
  accessLog.attach(fastify);
  app.useGlobalPipes(validationPipe());
  app.useGlobalFilters(problems);
  await serveDocumentation(app, fastify, config);
  serveCallbacks(fastify, app.get(TakeCallback));

  const changes = new ChangeListener(sessionDatabaseUrl(config), (thing) => {
    if (thing !== 'tariffs') keys.forget();
    if (thing !== 'accounts') tariffs.forget();
    if (thing === 'carriers' || thing === 'unknown') {
      carriers.forget();
      routes.forget();
    }
  });
  changes.start();
  const operator = await startOperatorListener({
    config,
    database,
    metrics,
    log,
    queue: app.get(BULL_QUEUE),
    dispatchQueue: app.get(DispatchQueue),
  });
  if (operator === undefined) log.warn(NO_OPERATOR_LISTENER);
  await app.listen(config.PORT, config.HOST);
  tls?.follow(fastify.server as unknown as HttpsServer);
  const port = portOf(fastify);
  const alive = new KeepHeartbeat(
    database,
    async () => ({
      processId: `gateway-${hostname()}-${process.pid}-${port}`,
      role: 'gateway',
      details: {
        ...processDetails(config, 'gateway'),
        port,
        secretKeys: database.secretKeys.ids,
        ...(operator && { metricsAddress: reachableAddress(config.OPERATOR_HOST, portOf(operator)) }),
      },
    }),
    (error) => log.warn({ err: error }, 'could not report to the database'),
    noticeRestore,
  );
  await alive.start();

  return {
    port,
    operatorPort: operator && portOf(operator),
    close: async () => {
      tls?.close();
      await draining.begin(fastify.server, config.SHUTDOWN_NOTICE_MS);
      // Fastify answers what it has taken on before it lets go; every send has its commit once it has.
      await fastify.close();
      await app.get(GroupCommit).drain();
      await withinMs(app.get(AnnounceOrders).drain(), 3_000);
      await operator?.close();
      await alive.stop();
      await changes.close();
      await app.close();
      await reads.close();
      await database.close();
    },
  };
}

function prepareHttp(
  fastify: FastifyInstance,
  config: Config,
  keys: ApiKeys,
  metrics: GatewayMetrics,
  draining: Draining,
): void {
  const paths = new KnownPaths(fastify);
  readJsonBodies(fastify, config);
  // What a serializer returns goes the way of any payload, which can be a Buffer: its type says less than it takes.
  fastify.setReplySerializer((payload) => responseJson(payload) as string);
  addResponseHeaders(fastify, draining);
  leaveBodiesUnread(fastify);
  refuseSeveralHosts(fastify);
  fastify.addHook('onRequest', authenticate(keys));
  limitFreeRequests(fastify, config);
  limitLargeBodies(fastify, config);
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) done(paths.refusalOf(request));
    else done();
  });
  limitBodies(fastify, config);
  fastify.addHook('onResponse', (request, reply, done) => {
    metrics.requestTook(request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime / 1_000);
    done();
  });
}

/** A client's own id is kept when it is plain; otherwise the request gets one. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}

function portOf(fastify: FastifyInstance): number {
  const address = fastify.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function withinMs(work: Promise<void>, boundMs: number): Promise<void> {
  await Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, boundMs).unref())]);
}
