import type { FastifyInstance } from 'fastify';
import { type Listener, listenFault } from '#config';

/** @throws ConfigError in one line that names the setting to change */
export async function listen(server: FastifyInstance, listener: Listener): Promise<void> {
  // Node leaves out what comes after the 1,000th header, an Idempotency-Key too. The size of a head has a limit.
  server.server.maxHeadersCount = 0;
  // A client may end its side after a whole request, as `nc -N` does; Node would end the connection without the answer.
  // The property is Node's own for this, and not in its types. It does nothing by TLS: there the server needs
  // `allowHalfOpen` too, and with it a connection that ends in its handshake stays open.
  Object.assign(server.server, { httpAllowHalfOpen: true });
  // Without this, Node ends the connection without an answer. With it, the errors of the socket are for us to hear.
  server.server.on('connect', (_request, socket) => {
    socket.on('error', () => undefined);
    server.server.emit('clientError', Object.assign(new Error(), { code: 'CONNECT' }), socket);
  });
  await server.listen({ host: listener.host, port: listener.port }).catch((error: unknown) => {
    throw listenFault(listener, error);
  });
}
