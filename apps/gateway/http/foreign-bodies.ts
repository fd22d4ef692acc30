import { errorCodes, type FastifyInstance } from 'fastify';
import { EMPTY_BODY } from './json-body.js';

/**
 * Refuses bodies of other types than JSON, unless they are empty. Some clients name a type of their own where they send
 * nothing: axios, fetch with an empty text, `curl -d ''`. Some proxies send nothing in chunks, without a type.
 */
export function refuseForeignBodies(fastify: FastifyInstance): void {
  fastify.addContentTypeParser('*', ({ headers }, payload, done) => {
    const pass = () => done(null, EMPTY_BODY);
    const refuse = () => {
      payload.off('end', pass);
      done(null, new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
    };
    if (Number(headers['content-length'] ?? 0) > 0) refuse();
    else payload.once('end', pass).once('data', refuse);
  });
}
