import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (Linux: from 32,768 on). A free one of those may be taken
 * by a connection before the server listens that it is for, or while that server starts again.
 */
const FIRST = 15_000;
export const LAST_PORT = 32_767;
const TRIES_MAX = 200;
const given = new Set<number>();

/** A free port on the loopback, up to `last`, which this process has not given to anybody else. */
export async function freePort(last = LAST_PORT): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = randomInt(FIRST, last + 1);
    if (!given.has(port) && (await isFree(port))) {
      given.add(port);
      return port;
    }
  }
  throw new Error(`no free port between ${FIRST} and ${last}`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
