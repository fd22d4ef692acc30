import type { FastifyInstance } from 'fastify';
import type { Draining } from './draining.js';

/** The documentation is served with its scripts and styles and needs nothing from elsewhere. */
const PAGE_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Headers of every answer, refusals as well. */
export function addResponseHeaders(fastify: FastifyInstance, draining: Draining): void {
  fastify.addHook('onRequest', async (request, reply) => {
    const isPage = request.url.startsWith('/docs');
    void reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': isPage ? PAGE_POLICY : API_POLICY,
      ...(!isPage && { 'cache-control': 'no-store' }),
    });
  });
  fastify.addHook('onSend', async (_request, reply) => {
    if (draining.isDraining) void reply.header('connection', 'close');
  });
}
