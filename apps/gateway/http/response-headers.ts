import type { FastifyInstance } from 'fastify';
import type { Draining } from './draining.js';

/** Pages come with their own scripts and styles and may load nothing from other servers. */
const PAGE_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

const EVERYWHERE = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
export const PAGE_HEADERS = { ...EVERYWHERE, 'content-security-policy': PAGE_POLICY };
const API_HEADERS = { ...EVERYWHERE, 'content-security-policy': API_POLICY, 'cache-control': 'no-store' };

/** Headers of every answer, also of refusals. */
export function addResponseHeaders(fastify: FastifyInstance, draining: Draining): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    void reply.headers(request.url.startsWith('/docs') ? PAGE_HEADERS : API_HEADERS);
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (draining.isDraining) void reply.header('connection', 'close');
    done(null, payload);
  });
}
