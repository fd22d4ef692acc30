import type { FastifyInstance } from 'fastify';
import { headerLines } from './header-lines.js';
import { Problem } from './problem.js';

/**
 * Refuses a request of HTTP/1.1 without a Host header, and one with several: two readers could take it for different
 * hosts (RFC 9112 section 3.2). Node would refuse the former itself, with an empty body.
 */
export function requireOneHost(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ raw }, reply, done) => {
    const count = headerLines(raw.rawHeaders, 'host');
    if (count === 1 || (count === 0 && raw.httpVersion !== '1.1')) {
      done();
      return;
    }
    void reply.header('connection', 'close');
    done(new Problem('malformed_request', `The request has ${count === 0 ? 'no' : 'more than one'} Host header.`));
  });
}
