import type { FastifyInstance } from 'fastify';
import { isDecodable } from '#config';
import { isOfAccounts } from './key-bounds.js';
import { Problem } from './problem.js';

/**
 * Refuses a query of the API that is not UTF-8 behind its percent signs. Fastify leaves such a value as it was written,
 * so a filter would look for another text, and its list or export would be empty. Carriers' callbacks, which may have
 * other encodings, are not of the API.
 */
export function requireDecodableQueries(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { url } = request;
    const at = url.indexOf('?');
    if (at === -1 || !url.includes('%', at) || !isOfAccounts(request) || isDecodable(url.slice(at))) done();
    else done(new Problem('malformed_request', 'The query of the URL is not percent-encoded UTF-8.'));
  });
}
