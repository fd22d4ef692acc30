import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../process/free-port.js';
import { type LocalRedis, runRedis, startLocalRedis } from './local-redis.js';

const SENTINELS = 3;
const MASTER_NAME = 'mymaster';
/** After this time the Sentinels call a silent master dead. */
const DOWN_AFTER_MS = 2_000;
const FAILOVER_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** A master, its replica, and three Sentinels that watch them, on the loopback. */
export class RedisSentinels {
  private constructor(
    private readonly program: string,
    private readonly dir: string,
    private readonly isDurable: boolean,
    /** By their ports. */
    private readonly servers: Map<number, LocalRedis>,
    private readonly sentinels: readonly LocalRedis[],
  ) {}

  /**
   * Starts all five and waits until the replica is in step and the Sentinels know each other.
   *
   * @param dir where they may write; exists
   */
  static async start(program: string, dir: string, isDurable = true): Promise<RedisSentinels> {
    const started: LocalRedis[] = [];
    try {
      const master = await startLocalRedis(program, folder(dir, 'server-1'), isDurable);
      started.push(master);
      const replica = await startLocalRedis(
        program,
        folder(dir, 'server-2'),
        isDurable,
        undefined,
        replicaOf(master.port),
      );
      started.push(replica);
      const sentinels: LocalRedis[] = [];
      for (let index = 1; index <= SENTINELS; index += 1) {
        const sentinel = await startSentinel(program, folder(dir, `sentinel-${index}`), master.port);
        started.push(sentinel);
        sentinels.push(sentinel);
      }
      const servers = new Map([master, replica].map((server) => [server.port, server]));
      const group = new RedisSentinels(program, dir, isDurable, servers, sentinels);
      await group.untilWhole();
      return group;
    } catch (error) {
      await Promise.all(started.map((server) => server.stop()));
      throw error;
    }
  }

  /** For REDIS_URL. */
  get url(): string {
    const hosts = this.sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `redis+sentinel://${hosts}/${MASTER_NAME}`;
  }

  /** Port of the server that the Sentinels call master. */
  async masterPort(): Promise<number> {
    const address = await this.askSentinel((sentinel) =>
      sentinel.call('sentinel', 'get-master-addr-by-name', MASTER_NAME),
    );
    return Number((address as string[])[1]);
  }

  /** kill -9 of the master. Resolves to its port at once; the Sentinels notice later. */
  async killMaster(): Promise<number> {
    const port = await this.masterPort();
    const server = this.servers.get(port);
    if (server === undefined) throw new Error(`no server of ours is master at ${port}`);
    process.kill(server.pid, 'SIGKILL');
    await server.stop();
    this.servers.delete(port);
    return port;
  }

  /** Resolves when another server is master. */
  untilMasterIsNot(port: number): Promise<void> {
    return until('another master', async () => (await this.masterPort()) !== port);
  }

  /** Starts a killed server again, as a replica of the current master, and waits until it is in step. */
  async restart(port: number): Promise<void> {
    const master = await this.masterPort();
    const further = master === port ? {} : replicaOf(master);
    const place = folder(this.dir, `server-at-${port}`);
    const server = await startLocalRedis(this.program, place, this.isDurable, port, further);
    this.servers.set(port, server);
    await this.untilWhole();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.servers.values()].map((server) => server.stop()));
  }

  private untilWhole(): Promise<void> {
    return until('a replica in step and three Sentinels', async () => {
      const port = await this.masterPort();
      const replication = await asked(port, (master) => master.info('replication'));
      if (!/role:master/.test(replication) || !/slave0:.*state=online/.test(replication)) return false;
      const views = await Promise.all(
        this.sentinels.map((sentinel) =>
          asked(sentinel.port, (client) => client.call('sentinel', 'master', MASTER_NAME)),
        ),
      );
      return views.every((view) => {
        const known = pairs(view as string[]);
        return (
          known.get('num-other-sentinels') === `${SENTINELS - 1}` &&
          known.get('num-slaves') === '1' &&
          known.get('flags') === 'master'
        );
      });
    });
  }

  private askSentinel<Result>(ask: (sentinel: Redis) => Promise<Result>): Promise<Result> {
    const [first] = this.sentinels;
    return asked(first?.port ?? 0, ask);
  }
}

function startSentinel(program: string, dir: string, masterPort: number): Promise<LocalRedis> {
  return freePort().then((port) => {
    const file = join(dir, 'sentinel.conf');
    // A Sentinel writes its knowledge into its file.
    writeFileSync(
      file,
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${dir}`,
        `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${masterPort} 2`,
        `sentinel down-after-milliseconds ${MASTER_NAME} ${DOWN_AFTER_MS}`,
        `sentinel failover-timeout ${MASTER_NAME} ${FAILOVER_TIMEOUT_MS}`,
        `sentinel parallel-syncs ${MASTER_NAME} 1`,
        '',
      ].join('\n'),
    );
    return runRedis(program, [file, '--sentinel'], port);
  });
}

function replicaOf(port: number): Record<string, string> {
  return { '--replicaof': `127.0.0.1 ${port}`, '--repl-diskless-sync-delay': '0' };
}

function folder(dir: string, name: string): string {
  const path = join(dir, name);
  mkdirSync(path, { recursive: true });
  return path;
}

function pairs(flat: readonly string[]): Map<string, string> {
  return new Map(flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : [])));
}

async function asked<Result>(port: number, ask: (client: Redis) => Promise<Result>): Promise<Result> {
  const client = new Redis(port, '127.0.0.1', {
    maxRetriesPerRequest: 0,
    commandTimeout: 5_000,
    retryStrategy: () => null,
  });
  client.on('error', () => undefined);
  try {
    return await ask(client);
  } finally {
    client.disconnect();
  }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + ANSWER_TIMEOUT_MS;
  for (;;) {
    if (await isSo().catch(() => false)) return;
    if (Date.now() > deadline) throw new Error(`not within ${ANSWER_TIMEOUT_MS} ms: ${what}`);
    await delay(LOOK_EVERY_MS);
  }
}
