import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#config';
import { hasPassword, type Logger } from '#telemetry';
import { clientNetwork } from '../http/client-network.js';
import { Problem } from '../http/problem.js';
import type { Person } from './api/endpoint.js';
import type { GatewayMetrics } from './gateway-metrics.js';
import { LoginDelays } from './login-delays.js';
import { mayReadMetrics } from './serve-metrics.js';

const WARN_EVERY_MS = 10_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in. */
    person?: Person;
  }
  interface FastifyContextConfig {
    /** Served to everybody: pages with which people sign in. */
    isOpen?: boolean;
  }
}

/** Requires the operator's password (any user name, HTTP Basic), or the password for metrics where that is enough. */
export function askPassword(
  server: FastifyInstance,
  config: Config,
  password: string,
  metrics: GatewayMetrics,
  log: Logger,
): void {
  const delays = new LoginDelays();
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  const isRight = ({ headers: { authorization }, routeOptions }: FastifyRequest) =>
    hasPassword(authorization, password) || mayReadMetrics(config, routeOptions.url, authorization);
  const countFailure = (address: string) => {
    const failures = delays.failed(address);
    metrics.operatorLoginsFailed.inc();
    if (performance.now() - warnedAtMs < WARN_EVERY_MS) return;
    warnedAtMs = performance.now();
    log.warn({ address, failures }, 'a wrong operator password was sent');
  };
  server.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isOpen === true) return;
    const address = clientNetwork(request.ip);
    // A browser's first request has none.
    const isTry = request.headers.authorization !== undefined;
    const waitMs = isTry ? delays.waitMs(address) : 0;
    if (waitMs > 0) await refuseForNow(reply, waitMs);
    else if (isTry && isRight(request)) {
      delays.succeeded(address);
      if (hasPassword(request.headers.authorization, password)) request.person = { name: 'admin', role: 'admin' };
    } else {
      if (isTry) countFailure(address);
      // A browser would answer a challenge with a dialog of its own, before the console's page.
      if (/^\/api(\/|$)/.test(request.url)) throw new Problem('not_signed_in', 'Sign in first.');
      await reply
        .status(401)
        .header('www-authenticate', 'Basic realm="Heliograph operator", charset="UTF-8"')
        .send({ success: false, code: 'unauthorized' });
    }
  });
}

async function refuseForNow(reply: FastifyReply, waitMs: number): Promise<void> {
  await reply
    .status(429)
    .header('retry-after', String(Math.ceil(waitMs / 1_000)))
    .send({ success: false, code: 'rate_limited' });
}
