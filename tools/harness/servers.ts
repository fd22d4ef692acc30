import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../scripts/postgres/embedded-postgres.js';
import { freePort } from '../../scripts/process/free-port.js';
import { findRedisServer, type LocalRedis, startLocalRedis } from '../../scripts/redis/local-redis.js';

/** What is said of durability is only true with these. */
const SETTINGS = { synchronous_commit: 'on', full_page_writes: 'on' };
/** Open orders are few and found by their index, whatever the planner believes of a table that grows this fast. */
const PLAN = '-c enable_seqscan=off -c jit=off';
const QUERY_TIMEOUT_MS = 120_000;
/** A bigint is money, which stays exact. */
const TYPES = new pg.TypeOverrides();
TYPES.setTypeParser(pg.types.builtins.INT8, BigInt);

/** The database server of a run, with a session of the harness that comes back after every death of the server. */
export class PostgresServer {
  private session: Promise<pg.Client> | undefined;
  private lastQuery: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly url: string,
    private readonly dir: string,
    /** Undefined: it runs already, and is not ours to stop. */
    private server: EmbeddedPostgres | undefined,
  ) {}

  /** In a folder that is there already or made. */
  static async start(dir: string): Promise<PostgresServer> {
    const server = await startOn(dir, await freePort());
    return new PostgresServer(server.url, dir, server);
  }

  static at(url: string): PostgresServer {
    return new PostgresServer(url, '', undefined);
  }

  get port(): number {
    return this.own.port;
  }

  /** Undefined of one that is not ours. */
  get pid(): number | undefined {
    return this.server?.pid;
  }

  /** Whether the server has ended by itself, e.g. after a panic. */
  get hasEnded(): boolean {
    try {
      process.kill(this.own.pid, 0);
      return false;
    } catch {
      return true;
    }
  }

  /** kill -9 of the postmaster: its sessions end when they notice, which no client is told. */
  async kill(): Promise<void> {
    process.kill(this.own.pid, 'SIGKILL');
    await this.own.ended;
  }

  /** Starts it again where it was, and recovers. It tries until the old sessions are gone. */
  async restart(): Promise<void> {
    this.server = await startOn(this.dir, this.own.port);
  }

  /** One statement of the harness, past all links, after those that were asked before it. */
  query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const rows = this.lastQuery.then(() => this.queryNow<Row>(sql, values));
    this.lastQuery = rows.catch(() => undefined);
    return rows;
  }

  /** The one row of a statement that gives one. */
  async row<Row>(sql: string, ...values: readonly unknown[]): Promise<Row> {
    const [row] = await this.query<Row>(sql, values);
    if (row === undefined) throw new Error(`no row of ${sql}`);
    return row;
  }

  private async queryNow<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    const wasOpen = this.session !== undefined;
    this.session ??= this.connect('heliograph-harness', PLAN);
    const session = this.session;
    try {
      return (await (await session).query(sql, [...values])).rows as Row[];
    } catch (error) {
      if (this.session === session) this.session = undefined;
      void session.then((client) => client.end()).catch(() => undefined);
      // A session that died with its server before this statement tells only now; the server may long be back.
      if (wasOpen && !(error instanceof pg.DatabaseError)) return this.queryNow(sql, values);
      throw error;
    }
  }

  /** A session of its own, e.g. to hold a lock. The caller ends it. */
  async connect(applicationName: string, options = '', queryTimeoutMs = QUERY_TIMEOUT_MS): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: applicationName,
      options,
      connectionTimeoutMillis: 5_000,
      query_timeout: queryTimeoutMs,
      types: TYPES,
    });
    // Where the server goes away, the query that is under way says so.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async stop(): Promise<void> {
    await this.session?.then((client) => Promise.race([client.end(), delay(2_000)])).catch(() => undefined);
    this.session = undefined;
    await this.server?.stop();
  }

  private get own(): EmbeddedPostgres {
    if (this.server === undefined) throw new Error('the database server is not one of this run');
    return this.server;
  }
}

function startOn(dir: string, port: number): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir: dir, port, fsync: true, settings: SETTINGS });
}

/** The Redis of a run: a process of its own that can be killed, stalled and emptied. */
export class RedisServer {
  private constructor(
    private readonly dir: string,
    readonly port: number,
    /** Whether it keeps an append-only file (appendfsync everysec). */
    readonly isDurable: boolean,
    private server: LocalRedis,
  ) {}

  /** @throws Error when there is no server on the PATH */
  static async start(dir: string, isDurable: boolean): Promise<RedisServer> {
    const port = await freePort();
    return new RedisServer(dir, port, isDurable, await startLocalRedis(redisProgram(), dir, isDurable, port));
  }

  get pid(): number {
    return this.server.pid;
  }

  async kill(): Promise<void> {
    process.kill(this.server.pid, 'SIGKILL');
    await this.server.stop();
  }

  async restart(): Promise<void> {
    this.server = await startLocalRedis(redisProgram(), this.dir, this.isDurable, this.port);
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

/** @throws Error when there is none */
export function redisProgram(): string {
  const program = findRedisServer();
  if (program === undefined) throw new Error('the queue on Redis needs a redis-server or valkey-server on the PATH');
  return program;
}
