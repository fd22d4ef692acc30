import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { StartupError } from './startup-error.js';

export interface Listener {
  /** The setting that chooses the port. */
  readonly setting: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/**
 * Checks that every port is free, all at once, and chooses one for each 0.
 *
 * @returns the ports in the order of the listeners
 * @throws StartupError naming the setting to change
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

async function listen({ setting, host, port }: Listener): Promise<Server> {
  const probe = createServer();
  const listening = once(probe, 'listening');
  probe.listen(port, host);
  try {
    await listening;
    return probe;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new StartupError(`port ${port} on ${host} is taken: set ${setting} to a free one`);
    if (code === 'EACCES') throw new StartupError(`port ${port} needs more rights: set ${setting} to one above 1023`);
    throw new StartupError(`cannot listen on ${host}:${port} (${setting} and its host): ${message}`);
  }
}
