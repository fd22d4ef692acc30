import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A body that nobody wants is read to its end up to this length, so that the connection can be kept. */
const UNREAD_BODY_BYTES_MAX = 16 * 1024;
/** How long a client that is still sending gets to read its answer before the connection is cut (RFC 9112 section 9.6). */
const LINGER_MS = 1_000;

/**
 * Answers without the body where the answer does not need it: whoever has no key cannot make the gateway read megabytes. The
 * rest of a long body is left in the client's hands: the answer says `Connection: close`, and the connection ends soon after it.
 */
export function leaveBodiesUnread(fastify: FastifyInstance): void {
  continueWhenWanted(fastify);
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (isLeft(request)) {
      void reply.header('connection', 'close');
      const { socket } = request.raw;
      // Node reads the body to its end otherwise, or resets the connection before the client has read its answer.
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

function closeLingering(socket: Socket): void {
  socket.end();
  // The kernel's buffers fill, and then the client has to wait.
  socket.pause();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** `100 Continue` is not said before the request has passed everything that is asked of its head. */
function continueWhenWanted(fastify: FastifyInstance): void {
  const server = fastify.server as Server;
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    if (request.headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue();
    done(null, payload);
  });
}
