import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { type Listener, listenFault } from '#config';

/**
 * Checks that every port is free, all at once, and chooses one for each 0.
 *
 * @returns the ports in the order of the listeners
 * @throws ConfigError naming the setting to change
 */
export async function reservePorts(listeners: readonly Listener[]): Promise<number[]> {
  const probes: Server[] = [];
  try {
    for (const listener of listeners) probes.push(await listen(listener));
    return probes.map((probe) => {
      const address = probe.address();
      return address !== null && typeof address !== 'string' ? address.port : 0;
    });
  } finally {
    await Promise.all(probes.map((probe) => new Promise((closed) => probe.close(closed))));
  }
}

async function listen(listener: Listener): Promise<Server> {
  const probe = createServer();
  const listening = once(probe, 'listening');
  probe.listen(listener.port, listener.host);
  try {
    await listening;
    return probe;
  } catch (error) {
    throw listenFault(listener, error);
  }
}
