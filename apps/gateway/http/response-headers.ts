import type { FastifyInstance } from 'fastify';
import type { Draining } from './draining.js';

/** Pages that come with scripts and styles of their own. Like all pages they may load nothing from other servers. */
const SCRIPTED_PAGE_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";
/** The guide is text: one style sheet, one picture, and no script. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

const EVERYWHERE = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
export const SCRIPTED_PAGE_HEADERS = { ...EVERYWHERE, 'content-security-policy': SCRIPTED_PAGE_POLICY };
const PAGE_HEADERS = { ...EVERYWHERE, 'content-security-policy': PAGE_POLICY };
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
