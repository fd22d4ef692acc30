import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, freePort, startEmbeddedPostgres } from '../../../scripts/postgres/embedded-postgres.js';

/** What is said of durability is only true with these. */
const SETTINGS = { synchronous_commit: 'on', full_page_writes: 'on' };
/** Open orders are few and found by their index, whatever the planner believes of a table that grows this fast. */
const PLAN = '-c enable_seqscan=off -c jit=off';
const QUERY_TIMEOUT_MS = 20_000;

/** The database server of a run, with a session of the harness that comes back after every death of the server. */
export class PostgresServer {
  private session: Promise<pg.Client> | undefined;
  private lastQuery: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly dir: string,
    private server: EmbeddedPostgres,
  ) {}

  static async start(dir: string): Promise<PostgresServer> {
    const port = await freePort();
    return new PostgresServer(dir, await startOn(dir, port));
  }

  get url(): string {
    return this.server.url;
  }

  get port(): number {
    return this.server.port;
  }

  get pid(): number {
    return this.server.pid;
  }

  /** Whether the server has ended by itself, e.g. after a panic. */
  get hasEnded(): boolean {
    try {
      process.kill(this.server.pid, 0);
      return false;
    } catch {
      return true;
    }
  }

  /** kill -9 of the postmaster: its sessions end when they notice, which no client is told. */
  async kill(): Promise<void> {
    process.kill(this.server.pid, 'SIGKILL');
    await this.server.ended;
  }

  /** Starts it again where it was, and recovers. It tries until the old sessions are gone. */
  async restart(): Promise<void> {
    this.server = await startOn(this.dir, this.server.port);
  }

  /** One statement of the harness, past all links, after those that were asked before it. */
  query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const rows = this.lastQuery.then(() => this.queryNow<Row>(sql, values));
    this.lastQuery = rows.catch(() => undefined);
    return rows;
  }

  private async queryNow<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    const wasOpen = this.session !== undefined;
    this.session ??= this.connect('heliograph-faults', PLAN);
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
    });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async stop(): Promise<void> {
    await this.session?.then((client) => Promise.race([client.end(), delay(2_000)])).catch(() => undefined);
    this.session = undefined;
    await this.server.stop();
  }
}

function startOn(dir: string, port: number): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir: dir, port, fsync: true, settings: SETTINGS });
}
