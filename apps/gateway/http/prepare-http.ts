import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Config } from '#config';
import { ConsolePage, isForPeople } from '../console/console-page.js';
import { CONFIG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';
import { AccessLog } from './access-log.js';
import { ApiKeys } from './api-keys.js';
import { authenticate } from './authenticate.js';
import { requireDecodableQueries } from './decodable-queries.js';
import { Draining } from './draining.js';
import { responseJson } from './exact-json.js';
import { refuseForeignBodies } from './foreign-bodies.js';
import { readJsonBodies } from './json-body.js';
import { bodyValuesMax } from './json-limits.js';
import { requireScopes } from './key-bounds.js';
import { KnownPaths } from './known-paths.js';
import { limitLargeBodies } from './large-bodies.js';
import { LateRequests } from './late-requests.js';
import { limitFreeRequests } from './limit-free-requests.js';
import { limitBodies } from './limits.js';
import { requireOneHost } from './one-host.js';
import { boundPipelining } from './pipelining.js';
import { PollPace } from './poll-pace.js';
import { RateStandings } from './rate-standings.js';
import { RecordKeyUse } from './record-key-use.js';
import { addResponseHeaders } from './response-headers.js';
import { limitUnreadAnswers } from './unread-answers.js';
import { leaveBodiesUnread } from './unread-bodies.js';

/**
 * The hooks that every request passes before Nest's pipeline. They are Fastify hooks, in the order in which they run:
 * most of them must refuse a request before its body is read, and guards and interceptors of Nest run after that (ADR
 * 28).
 */
@Injectable()
export class PrepareHttp {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly keys: ApiKeys,
    private readonly uses: RecordKeyUse,
    private readonly metrics: GatewayMetrics,
    private readonly draining: Draining,
    private readonly accessLog: AccessLog,
    private readonly standings: RateStandings,
    private readonly pollPace: PollPace,
  ) {}

  /** Call it before the first route is added, because routes take the hooks that exist then. */
  attach(fastify: FastifyInstance): void {
    const { config, metrics } = this;
    boundPipelining(fastify);
    readJsonBodies(fastify, bodyValuesMax(config));
    refuseForeignBodies(fastify);
    // The result of a serializer may be a Buffer, like any payload; its declared type is too narrow.
    fastify.setReplySerializer((payload) => responseJson(payload) as string);
    addResponseHeaders(fastify, this.draining);
    leaveBodiesUnread(fastify);
    requireOneHost(fastify);
    requireScopes(fastify);
    const late = new LateRequests();
    fastify.addHook(
      'onRequest',
      authenticate(this.keys, this.uses, (done, problem) => late.later(done, problem)),
    );
    late.attach(fastify);
    this.pollPace.attach(fastify);
    this.standings.attach(fastify);
    limitFreeRequests(fastify, config);
    limitLargeBodies(fastify, config);
    limitUnreadAnswers(fastify);
    requireDecodableQueries(fastify);
    this.refuseUnknownPaths(fastify);
    limitBodies(fastify, config);
    fastify.addHook('onResponse', (request, reply, done) => {
      metrics.requestTook(request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime / 1_000);
      done();
    });
    this.accessLog.attach(fastify);
  }

  /** A person who is at a wrong address reads a page, and a program a problem document. */
  private refuseUnknownPaths(fastify: FastifyInstance): void {
    const paths = new KnownPaths(fastify);
    const page = new ConsolePage('owner');
    fastify.addHook('onRequest', (request, reply, done) => {
      if (!paths.hasNoRoute(request)) return done();
      const refusal = paths.refusalOf(request);
      if (refusal.code !== 'not_found' || !isForPeople(request)) return done(refusal);
      this.metrics.refusals.inc({ code: refusal.code });
      reply.problemCode = refusal.code;
      page.send(reply, refusal.status);
    });
  }
}
