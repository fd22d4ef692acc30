import { Redis } from 'ioredis';
import { freePort } from '../../../scripts/postgres/embedded-postgres.js';
import { findRedisServer, type LocalRedis, startLocalRedis } from '../../../scripts/redis/local-redis.js';

/** The Redis of a run: a process of its own that can be killed, stalled and emptied. */
export class RedisServer {
  private constructor(
    private readonly program: string,
    private readonly dir: string,
    readonly port: number,
    /** Whether it keeps an append-only file (appendfsync everysec). */
    readonly isDurable: boolean,
    private server: LocalRedis,
  ) {}

  /** @throws Error when there is no server on the PATH */
  static async start(dir: string, isDurable: boolean): Promise<RedisServer> {
    const program = findRedisServer();
    if (program === undefined) throw new Error('this needs a redis-server or valkey-server on the PATH');
    const port = await freePort();
    return new RedisServer(program, dir, port, isDurable, await startLocalRedis(program, dir, isDurable, port));
  }

  async kill(): Promise<void> {
    process.kill(this.server.pid, 'SIGKILL');
    await this.server.stop();
  }

  async restart(): Promise<void> {
    this.server = await startLocalRedis(this.program, this.dir, this.isDurable, this.port);
  }

  pause(): void {
    process.kill(this.server.pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.server.pid, 'SIGCONT');
  }

  /** Everything that it holds is gone at once. */
  async flush(): Promise<void> {
    const redis = new Redis(this.port, '127.0.0.1', { maxRetriesPerRequest: 1, commandTimeout: 5_000 });
    redis.on('error', () => undefined);
    try {
      await redis.flushall();
    } finally {
      redis.disconnect();
    }
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}
