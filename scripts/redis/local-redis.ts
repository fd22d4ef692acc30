import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freePort } from '../postgres/embedded-postgres.js';
import { dieWithParent } from '../process/setpriv.js';

const READY_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 5_000;

export interface LocalRedis {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The Redis or Valkey server on the PATH, if there is one. */
export function findRedisServer(): string | undefined {
  return ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);
}

/**
 * Runs a Redis of its own on the loopback, set as the queue needs it: nothing is evicted.
 *
 * @param dir where it may write
 * @param durable whether it keeps an append-only file, as in production
 * @param fixedPort a free one when left out
 * @throws Error when it is not ready within 15 s
 */
export async function startLocalRedis(
  server: string,
  dir: string,
  durable = false,
  fixedPort?: number,
): Promise<LocalRedis> {
  const port = fixedPort ?? (await freePort());
  const settings = {
    '--port': `${port}`,
    '--bind': '127.0.0.1',
    '--dir': dir,
    '--save': '',
    '--appendonly': durable ? 'yes' : 'no',
    '--maxmemory-policy': 'noeviction',
    '--databases': '64',
  };
  const { command, args } = dieWithParent({ command: server, args: Object.entries(settings).flat() }, 'TERM');
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  const ended = once(child, 'exit').catch(() => undefined);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const axe = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(axe);
  };
  const url = `redis://127.0.0.1:${port}`;
  try {
    await describeRedis(url, READY_TIMEOUT_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, pid: child.pid ?? 0, stop };
}

/**
 * Asks a Redis for its version, trying until it answers.
 *
 * @throws Error in one line when it does not within the time
 */
export async function describeRedis(url: string, timeoutMs: number): Promise<string> {
  const deadline = Date.now() + timeoutMs;
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    maxRetriesPerRequest: null,
    retryStrategy: () => (Date.now() < deadline ? 50 : null),
  });
  let reason = `no answer within ${timeoutMs} ms`;
  redis.on('error', (error) => {
    reason = error.message || (error as NodeJS.ErrnoException).code || reason;
  });
  try {
    const info = await redis.info('server');
    return /^(?:valkey|redis)_version:(\S+)/m.exec(info)?.[1] ?? 'of unknown version';
  } catch (error) {
    throw new Error(`Redis at ${new URL(url).host} does not answer: ${error instanceof Error ? reason : error}`);
  } finally {
    redis.disconnect();
  }
}
