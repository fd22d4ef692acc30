import type { FastifyInstance } from 'fastify';
import { type Listener, listenFault } from '#config';

/** @throws ConfigError in one line that names the setting to change */
export async function listen(server: FastifyInstance, listener: Listener): Promise<void> {
  await server.listen({ host: listener.host, port: listener.port }).catch((error: unknown) => {
    throw listenFault(listener, error);
  });
}
