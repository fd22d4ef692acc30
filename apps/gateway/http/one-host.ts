import type { FastifyInstance } from 'fastify';
import { Problem } from './problem.js';

/**
 * Refuses a request with several Host headers: two readers could take it for different hosts (RFC 9112 section 3.2).
 */
export function refuseSeveralHosts(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (hosts(request.raw.rawHeaders) < 2) {
      done();
      return;
    }
    void reply.header('connection', 'close');
    done(new Problem('malformed_request', 'The request has more than one Host header.'));
  });
}

/** Node keeps the first Host and forgets the others. Names and values alternate in the raw headers. */
function hosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
