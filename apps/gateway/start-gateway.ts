import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Config, encryptsTexts, requireDatabaseUrl, secretsKeysOf } from '#config';
import { checkSessions, Database, SecretKeys, warnOfRestore } from '#persistence';
import { queueBackEnd, useQueueBackEnd } from '#queue';
import { type Logger, MessageTraces, nestLogger } from '#telemetry';
import { serveCallbacks } from './carriers/serve-callbacks.js';
import { TakeCallback } from './carriers/take-callback.js';
import { serveConsole } from './console/serve-console.js';
import { GatewayModule } from './gateway.module.js';
import { AccessLog } from './http/access-log.js';
import { answerClientError } from './http/client-error.js';
import { trustedProxies } from './http/client-network.js';
import { HEAD_LIMITS } from './http/head-limits.js';
import { batchBodyBytesMax } from './http/limits.js';
import { listen } from './http/listen.js';
import { isPipelinedTooFar } from './http/pipelining.js';
import { PrepareHttp } from './http/prepare-http.js';
import { ProblemFilter } from './http/problem.filter.js';
import { TlsFiles } from './http/tls-files.js';
import { serveDocumentation } from './openapi/serve-documentation.js';
import { GatewayMetrics } from './operator/gateway-metrics.js';
import { OperatorListener } from './operator/operator-listener.js';
import { ReportAlive } from './report-alive.js';

/** Below this, reads would fail on a busy machine. */
const STATEMENT_TIMEOUT_LEAST_MS = 1_000;

export interface RunningGateway {
  readonly port: number;
  readonly operatorPort: number | undefined;
  /** Stops accepting, finishes what is in flight, closes. */
  close(): Promise<void>;
}

/**
 * Builds and starts a gateway from its settings; the one way that the process and the tests share.
 *
 * @param headLimits what tests change
 */
export async function startGateway(
  config: Config,
  log: Logger,
  headLimits: typeof HEAD_LIMITS = HEAD_LIMITS,
): Promise<RunningGateway> {
  const tls = TlsFiles.open(config, log);
  const database = await openDatabase(config, log);
  const traces = await MessageTraces.open(config, 'gateway', log);
  useQueueBackEnd(config);
  const adapter = new FastifyAdapter({
    bodyLimit: batchBodyBytesMax(config),
    ...trustedProxies(config),
    connectionTimeout: 0,
    requestTimeout: 30_000,
    keepAliveTimeout: 75_000,
    // A request on its way in while the gateway stops is answered like any other, not with a bare 503.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, app.get(AccessLog).unreadable),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      if (isPipelinedTooFar(reply)) reply.hijack();
      else app.get(AccessLog).unreadable(request.id, app.get(ProblemFilter).answer(error, request, reply));
    },
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id']),
    ...(tls === undefined ? { http: headLimits } : { https: { ...headLimits, ...tls.options } }),
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.with(config, database, log, traces),
    adapter,
    {
      bodyParser: false,
      logger: nestLogger(log),
      abortOnError: false,
    },
  );
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  app.get(PrepareHttp).attach(fastify);
  serveDocumentation(app, fastify, config);
  await serveConsole(fastify, 'owner');
  serveCallbacks(fastify, app.get(TakeCallback));
  await app.init();
  // Not by Nest, which logs a fault that is reported here.
  await listen(fastify, { setting: 'PORT', host: config.HOST, port: config.PORT });
  if (tls !== undefined) {
    tls.follow(fastify.server as unknown as HttpsServer);
    app.get(GatewayMetrics).showCertificate(() => tls.expiresAt);
  }
  const port = portOf(fastify);
  await app.get(ReportAlive).start(port);

  return {
    port,
    operatorPort: app.get(OperatorListener).port,
    close: async () => {
      tls?.close();
      await app.close();
      await traces.close();
      await database.close();
    },
  };
}

async function openDatabase(config: Config, log: Logger): Promise<Database> {
  const database = await Database.open({
    url: requireDatabaseUrl(config),
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'heliograph-gateway',
    secretKeys: new SecretKeys(secretsKeysOf(config)),
    encryptsTexts: encryptsTexts(config),
    // A commit that waits for a lock has the same end as a send that waits for its commit.
    statementTimeoutMs: Math.max(config.ACCEPT_WAIT_MAX_MS, STATEMENT_TIMEOUT_LEAST_MS),
  });
  await checkSessions(config, database, queueBackEnd(config) === 'postgres', (advice) => log.warn(advice));
  await warnOfRestore(database, config.HOLD_AFTER_FAILOVER === 'on', log.warn.bind(log));
  return database;
}

/** A client's own id is kept when it is plain; otherwise the request gets one. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}

function portOf(fastify: FastifyInstance): number {
  const address = fastify.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
