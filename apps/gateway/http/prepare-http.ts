import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Config } from '#config';
import { CONFIG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';
import { AccessLog } from './access-log.js';
import { ApiKeys } from './api-keys.js';
import { authenticate } from './authenticate.js';
import { Draining } from './draining.js';
import { responseJson } from './exact-json.js';
import { readJsonBodies } from './json-body.js';
import { KnownPaths } from './known-paths.js';
import { limitLargeBodies } from './large-bodies.js';
import { limitFreeRequests } from './limit-free-requests.js';
import { limitBodies } from './limits.js';
import { refuseSeveralHosts } from './one-host.js';
import { addResponseHeaders } from './response-headers.js';
import { leaveBodiesUnread } from './unread-bodies.js';

/**
 * What every request passes before Nest's pipeline. These are hooks of Fastify, in the order in which they run: most of
 * them have to refuse a request before its body is read, and a guard or an interceptor of Nest comes after that (ADR
 * 28).
 */
@Injectable()
export class PrepareHttp {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly keys: ApiKeys,
    private readonly metrics: GatewayMetrics,
    private readonly draining: Draining,
    private readonly accessLog: AccessLog,
  ) {}

  /** Before the first route is added: routes take the hooks that there are. */
  attach(fastify: FastifyInstance): void {
    const { config, metrics } = this;
    const paths = new KnownPaths(fastify);
    readJsonBodies(fastify, config);
    // What a serializer returns goes the way of any payload, which can be a Buffer: its type says less than it takes.
    fastify.setReplySerializer((payload) => responseJson(payload) as string);
    addResponseHeaders(fastify, this.draining);
    leaveBodiesUnread(fastify);
    refuseSeveralHosts(fastify);
    fastify.addHook('onRequest', authenticate(this.keys));
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
    this.accessLog.attach(fastify);
  }
}
