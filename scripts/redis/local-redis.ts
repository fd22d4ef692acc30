import { spawn, spawnSync } from 'node:child_process';
import { parseRedisUrl, redisWords } from '#config';
import { connectRedis } from '#queue';
import { freePort } from '../process/free-port.js';
import { dieWithParent } from '../process/setpriv.js';
import { stopOf } from '../process/stop-child.js';

const READY_TIMEOUT_MS = 15_000;

export interface LocalRedis {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The Redis or Valkey server on the PATH, if there is one. */
export function findRedisServer(): string | undefined {
  return ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);
}

/**
 * Runs a Redis of its own on loopback, with the settings that the queue needs: nothing is evicted.
 *
 * @param dir where it may write
 * @param durable whether it keeps an append-only file, as in production
 * @param fixedPort default: a free one
 * @param further settings by their names, over the usual ones
 * @throws Error when it is not ready within 15 s
 */
export async function startLocalRedis(
  server: string,
  dir: string,
  durable = false,
  fixedPort?: number,
  further: Readonly<Record<string, string>> = {},
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
    ...further,
  };
  return runRedis(server, Object.entries(settings).flat(), port);
}

/**
 * Runs a server with these arguments until it is stopped.
 *
 * @throws Error when it is not ready within 15 s
 */
export async function runRedis(server: string, serverArgs: string[], port: number): Promise<LocalRedis> {
  const { command, args } = dieWithParent({ command: server, args: serverArgs }, 'TERM');
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  const stop = stopOf(child);
  const url = `redis://127.0.0.1:${port}`;
  try {
    await describeRedis(url, READY_TIMEOUT_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, port, pid: child.pid ?? 0, stop };
}

/**
 * Asks a Redis for its version, trying until it answers.
 *
 * @throws Error in one line when it does not within the time
 */
export async function describeRedis(url: string, timeoutMs: number): Promise<string> {
  const deadline = Date.now() + timeoutMs;
  const redis = connectRedis(url, {
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
    const info = await withinMs(redis.info('server'), timeoutMs);
    return /^(?:valkey|redis)_version:(\S+)/m.exec(info)?.[1] ?? 'of unknown version';
  } catch (error) {
    const words = redisWords(parseRedisUrl(url));
    throw new Error(`Redis at ${words} does not answer: ${error instanceof Error ? reason : error}`);
  } finally {
    redis.disconnect();
  }
}

/** A client may wait for its connection without a limit: it asks Sentinels that know no master again and again. */
async function withinMs<Result>(work: Promise<Result>, boundMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), boundMs);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, bound]);
  } finally {
    clearTimeout(timer);
  }
}
