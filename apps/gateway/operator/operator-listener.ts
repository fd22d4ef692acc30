import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Config } from '#config';
import { Database, hasAdmin, listCarriers } from '#persistence';
import { DispatchQueues } from '#queue';
import type { Logger } from '#telemetry';
import { ConsolePage, isForPeople } from '../console/console-page.js';
import { serveConsole } from '../console/serve-console.js';
import { answerClientError } from '../http/client-error.js';
import { trustedProxies } from '../http/client-network.js';
import { HEAD_LIMITS } from '../http/head-limits.js';
import { listen } from '../http/listen.js';
import { requireOneHost } from '../http/one-host.js';
import { boundPipelining, isPipelinedTooFar } from '../http/pipelining.js';
import { PollPace } from '../http/poll-pace.js';
import { problemFrom, sendProblem } from '../http/problem.filter.js';
import { noSuchPath } from '../http/problem.js';
import { SCRIPTED_PAGE_HEADERS } from '../http/response-headers.js';
import { leaveBodiesUnread } from '../http/unread-bodies.js';
import { CONFIG, LOG } from '../injected.js';
import { LongStatements } from './api/long-statements.js';
import { serveApi } from './api/serve-api.js';
import { GatewayMetrics } from './gateway-metrics.js';
import { identifyPeople } from './identify-person.js';
import { LoginWatch } from './login-watch.js';
import { lookedAtByMany } from './looked-at-by-many.js';
import { mountQueueBoard } from './queue-board.js';
import { serveMetrics } from './serve-metrics.js';
import { ServiceFigures } from './service-figures.js';

/** Requests to this listener have small bodies only. */
const BODY_BYTES_MAX = 16 * 1024;

const NO_LISTENER =
  'OPERATOR_PASSWORD is not set, and there is no admin (smsctl operator add): this gateway serves nothing on OPERATOR_PORT';
const FIRST_ADMIN =
  'there is no admin yet: sign in as admin, with OPERATOR_PASSWORD, which becomes the password of admin';

/**
 * The operators' own listener, separate from the clients': the console, `/api` (`api/endpoint.ts`), `/queues` and
 * `/metrics`, for people who have signed in (`identify-person.ts`). If nobody can, nothing listens.
 */
@Injectable()
export class OperatorListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: FastifyInstance | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly queues: DispatchQueues,
    private readonly metrics: GatewayMetrics,
    private readonly pollPace: PollPace,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Where it listens, while it does. */
  get port(): number | undefined {
    const address = this.server?.server.address();
    return typeof address === 'object' ? address?.port : undefined;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config } = this;
    if (!(await hasAdmin(this.database))) {
      if (config.OPERATOR_PASSWORD === undefined) {
        this.log.warn(NO_LISTENER);
        return;
      }
      this.log.info(FIRST_ADMIN);
    }
    const server = fastify({
      forceCloseConnections: true,
      genReqId: () => randomUUID(),
      requestTimeout: 15_000,
      bodyLimit: BODY_BYTES_MAX,
      http: HEAD_LIMITS,
      clientErrorHandler: (error, socket) => answerClientError(error, socket, () => undefined),
      frameworkErrors: (error, request, reply) => {
        if (isPipelinedTooFar(reply)) reply.hijack();
        else this.refuse(error, request, reply);
      },
      ...trustedProxies(config),
    });
    this.server = server;
    boundPipelining(server);
    server.addHook('onRequest', async (_request, reply) => {
      void reply.headers(SCRIPTED_PAGE_HEADERS);
    });
    server.setErrorHandler((error, request, reply) => this.refuse(error, request, reply));
    leaveBodiesUnread(server);
    requireOneHost(server);
    // One signs in with the pages of the console, so they are for everybody.
    await serveConsole(server, 'operator');
    const page = new ConsolePage('operator');
    server.setNotFoundHandler((request, reply) => {
      if (isForPeople(request)) return page.send(reply, 404);
      sendProblem(reply, request.id, noSuchPath());
      return reply;
    });
    await server.register((closed) => this.serve(closed));
    await listen(server, { setting: 'OPERATOR_PORT', host: config.OPERATOR_HOST, port: config.OPERATOR_PORT });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }

  /** Answers what no part of the listener has answered in its own way. */
  private refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = problemFrom(error, request);
    if (problem.status >= 500) {
      this.log.error({ err: error, requestId: request.id }, "a request of the operators' listener failed");
    }
    sendProblem(reply, request.id, problem);
    return reply;
  }

  private async serve(server: FastifyInstance): Promise<void> {
    const { database, queues, metrics, config, log } = this;
    const logins = new LoginWatch(metrics, log);
    await identifyPeople(server, config, database, logins);
    this.pollPace.attach(server);
    serveMetrics(server, metrics, new ServiceFigures(database, queues), database);
    const long = new LongStatements(config, database);
    await serveApi(server, {
      database,
      config,
      queues,
      log,
      logins,
      long,
      ...lookedAtByMany(config, database, queues, long),
    });
    await mountQueueBoard(server, queues, async () => (await listCarriers(database)).map(({ name }) => name));
  }
}
