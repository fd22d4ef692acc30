import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from './problem.js';

/** An unwanted body up to this length is read to its end, so that the connection can be kept. */
const UNREAD_BODY_BYTES_MAX = 16 * 1024;
/**
 * How long a client that is still sending may read its answer before the connection is closed (RFC 9112 section 9.6).
 */
const LINGER_MS = 1_000;
const CONTINUE = '100-continue';

/**
 * Answers without reading the body if the answer does not need it, so that nobody without a key can make the gateway
 * read megabytes. The rest of a long body is not read: the answer says `Connection: close`, and the connection ends
 * soon after it.
 */
export function leaveBodiesUnread(fastify: FastifyInstance): void {
  continueWhenWanted(fastify);
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (isLeft(request)) {
      void reply.header('connection', 'close');
      const { socket } = request.raw;
      // Otherwise Node reads the body to its end, or resets the connection before the client has read its answer.
      socket.destroySoon = () => closeLingering(socket);
    }
    done(null, payload);
  });
}

function isLeft({ raw }: FastifyRequest): boolean {
  if (raw.complete) return false;
  return (
    raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length']) > UNREAD_BODY_BYTES_MAX
  );
}

function isTooLong({ headers, routeOptions: { bodyLimit = Number.POSITIVE_INFINITY } }: FastifyRequest): boolean {
  return Number(headers['content-length'] ?? 0) > bodyLimit;
}

/** Ends a connection, and leaves its client a moment to read the answer. */
export function closeLingering(socket: Socket): void {
  socket.end();
  // The buffers of the kernel fill, and then the client has to wait.
  socket.pause();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * `100 Continue` is sent only after the head of the request has passed all checks, and never by HTTP/1.0, whose clients
 * take it for the answer. Another expectation is refused (RFC 9110 section 10.1.1); Node would refuse it with an empty
 * body.
 */
function continueWhenWanted(fastify: FastifyInstance): void {
  const server = fastify.server as Server;
  for (const event of ['checkContinue', 'checkExpectation']) {
    server.on(event, (request, response) => server.emit('request', request, response));
  }
  fastify.addHook('onRequest', ({ headers: { expect } }, _reply, done) => {
    const isMet = expect === undefined || expect.toLowerCase() === CONTINUE;
    done(isMet ? undefined : new Problem('expectation_failed', `Expect may only be ${CONTINUE}.`));
  });
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const { headers, raw } = request;
    if (headers.expect?.toLowerCase() === CONTINUE && raw.httpVersion !== '1.0' && !isTooLong(request))
      reply.raw.writeContinue();
    done(null, payload);
  });
}
