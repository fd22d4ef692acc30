import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { SecretKeys } from '../carriers/secret-keys.js';
import type { OperatorActor } from '../operators/operator-actor.js';
import { MIGRATIONS } from '../schema/migrations/index.js';
import { failureKind } from './database-errors.js';
import { pooledStatements } from './pooled-statements.js';
import { isBehindPooler, type SessionBounds } from './pooler.js';
import { connectSingle } from './single-connection.js';
import type { StatementRunner, StatementSource } from './statement-source.js';

/** What runs a statement: the pool, or one transaction. Always the first argument of what touches the database. */
export interface Queryable {
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Connections that this process may hold. */
  readonly poolSize: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly statementTimeoutMs?: number;
  /** What secrets in the database are encrypted with; left out: none can be written, nor read if it is encrypted. */
  readonly secretKeys?: SecretKeys;
  /** The setting that has the URL, for people; DATABASE_URL unless given. */
  readonly setting?: string;
}

const NO_KEYS = new SecretKeys();

/** The database cannot be used: unreachable, refused, or not migrated. The message is fit for an operator. */
export class DatabaseUnavailable extends Error {}

/** What was asked for needs a session of its own, and the URL leads through a pooler. */
export function poolerInBetween(why: string): DatabaseUnavailable {
  return new DatabaseUnavailable(`a connection pooler stands before the database, and ${why}: set DATABASE_DIRECT_URL`);
}

/** The pool of one process. Every wait on it has a bound, so that a stuck server shows as an error, not as silence. */
export class Database implements Queryable {
  private constructor(
    private readonly source: StatementSource,
    /** Whether a connection pooler stands before it: nothing of a session lasts longer than a transaction. */
    readonly isPooled: boolean,
    readonly secretKeys: SecretKeys,
  ) {}

  /**
   * Connects and checks that the schema is the one this code was built for.
   *
   * @throws DatabaseUnavailable in one line, without the password
   */
  static async open(options: DatabaseOptions): Promise<Database> {
    const setting = options.setting ?? 'DATABASE_URL';
    let source: DataSource;
    let isPooled: boolean;
    try {
      isPooled = await isBehindPooler(options.url, options.applicationName);
      source = await dataSource(options, isPooled);
      await source.initialize();
    } catch (error) {
      throw unreachable(options.url, setting, error);
    }
    try {
      if (await isBehind(source)) throw notMigrated(options.url);
    } catch (error) {
      await source.destroy().catch(() => undefined);
      throw error instanceof DatabaseUnavailable ? error : unreachable(options.url, setting, error);
    }
    const bounds = isPooled ? boundsOf(options) : undefined;
    return new Database(pooledStatements(source, bounds), isPooled, options.secretKeys ?? NO_KEYS);
  }

  /**
   * The same on one connection, for a command that runs one statement after another: without a pool and without
   * TypeORM, which takes half a second to load.
   *
   * @throws DatabaseUnavailable in one line, without the password
   */
  static async openSingle(
    options: Omit<DatabaseOptions, 'poolSize'> & { readonly actor?: OperatorActor },
  ): Promise<Database> {
    const source = await connectSingle(options).catch((error: unknown) => {
      throw new DatabaseUnavailable(`cannot reach the database at ${redacted(options.url)}: ${oneLine(error)}`);
    });
    const database = new Database(source, source.isPooled, options.secretKeys ?? NO_KEYS);
    const ran = await database.query<{ name: string }>('select name from schema_migration').catch(() => []);
    if (MIGRATIONS.some((migration) => !ran.some(({ name }) => name === new migration().name))) {
      await database.close();
      throw notMigrated(options.url);
    }
    return database;
  }

  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return rowsOf<Row>(await this.source.query(sql, [...parameters]));
  }

  /** Runs `work` in one transaction; an exception rolls it back. */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result> {
    return this.source.transaction((manager) => work(new Transaction(manager)));
  }

  async close(): Promise<void> {
    await this.source.destroy();
  }
}

class Transaction implements Queryable {
  constructor(private readonly manager: StatementRunner) {}

  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return rowsOf<Row>(await this.manager.query(sql, [...parameters]));
  }
}

function rowsOf<Row>(result: unknown): Row[] {
  return Array.isArray(result) ? (result as Row[]) : [];
}

/** While a migration waits for a lock, all who want that table wait behind it: it steps back, and tries again. */
const MIGRATION_LOCK_TIMEOUT_MS = 2_000;
const MIGRATION_TRIES = 30;
const MIGRATION_PAUSE_MS = 1_000;

/**
 * Brings the schema up to date, also while gateways and workers run. Safe to run at the same time from several places.
 *
 * @returns what the migrations that ran now have brought to a database that was there; nothing for a new one
 * @throws DatabaseUnavailable in one line, when there is no session to do it in, or it never got its locks
 */
export async function migrateDatabase(url: string): Promise<string[]> {
  let source: DataSource;
  try {
    if (await isBehindPooler(url, 'heliograph-migrate')) {
      throw poolerInBetween('migrations need a session of their own for their lock');
    }
    source = await dataSource(
      { url, poolSize: 2, applicationName: 'heliograph-migrate', statementTimeoutMs: 0 },
      false,
    );
    await source.initialize();
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable(`cannot reach the database at ${redacted(url)} (DATABASE_URL): ${oneLine(error)}`);
  }
  try {
    // Two processes that start together must not both create the tables.
    const runner = source.createQueryRunner();
    await runner.query('set lock_timeout = 0');
    await runner.query(`select pg_advisory_lock(hashtext('heliograph.migrate'))`);
    try {
      const ranBefore = await ranMigrations(source);
      await runMigrations(source);
      return summariesSince(ranBefore);
    } finally {
      await runner.query(`select pg_advisory_unlock(hashtext('heliograph.migrate'))`);
      await runner.release();
    }
  } finally {
    await source.destroy();
  }
}

/** A migration is one transaction: what was in the way of one has undone it whole. */
async function runMigrations(source: DataSource): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await source.runMigrations({ transaction: 'each' });
      return;
    } catch (error) {
      if (failureKind(error) !== 'retryable') throw error;
      if (tries === MIGRATION_TRIES) {
        throw new DatabaseUnavailable(`other sessions keep locked what a migration needs: ${oneLine(error)}`);
      }
    }
    await delay(MIGRATION_PAUSE_MS);
  }
}

/** The names of those that ran before; none where the table of them is not there yet. */
async function ranMigrations(source: DataSource): Promise<string[]> {
  const rows: { name: string }[] = await source.query('select name from schema_migration').catch(() => []);
  return rows.map(({ name }) => name);
}

function summariesSince(ranBefore: readonly string[]): string[] {
  if (ranBefore.length === 0) return [];
  return MIGRATIONS.map((migration) => new migration())
    .filter(({ name }) => !ranBefore.includes(name))
    .map(({ summary }) => summary);
}

async function dataSource(options: DatabaseOptions, isPooled: boolean): Promise<DataSource> {
  const [{ DataSource }, { SurvivingClient }] = await Promise.all([import('typeorm'), import('#config')]);
  const { statementTimeoutMs, lockTimeoutMs } = boundsOf(options);
  return new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    poolSize: options.poolSize,
    connectTimeoutMS: 5_000,
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migration',
    logging: false,
    // Otherwise a migration that steps back prints that it has failed.
    logger: 'debug',
    extra: {
      Client: SurvivingClient,
      keepAlive: true,
      idleTimeoutMillis: 30_000,
      // The client gives up a little later than the server, so that a dead connection is noticed as well.
      ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + 2_000 }),
      // A pooler refuses settings of a session. A role may have a bound of its own, which migrations do without.
      ...(!isPooled &&
        (statementTimeoutMs > 0
          ? {
              statement_timeout: statementTimeoutMs,
              lock_timeout: lockTimeoutMs,
              idle_in_transaction_session_timeout: 10_000,
            }
          : { options: `-c statement_timeout=0 -c lock_timeout=${MIGRATION_LOCK_TIMEOUT_MS}` })),
    },
  });
}

function boundsOf({ statementTimeoutMs = 5_000 }: DatabaseOptions): SessionBounds {
  return { statementTimeoutMs, lockTimeoutMs: statementTimeoutMs };
}

/** Whether migrations are missing. A table of them that is not there, or not to be read, says so as well; a lost connection does not. */
async function isBehind(source: DataSource): Promise<boolean> {
  return source.showMigrations().catch((error: unknown) => {
    if (failureKind(error) === 'unavailable') throw error;
    return true;
  });
}

function unreachable(url: string, setting: string, error: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable(`cannot reach the database at ${redacted(url)} (${setting}): ${oneLine(error)}`);
}

function notMigrated(url: string): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `the database at ${redacted(url)} is not migrated: run \`node dist/scripts/migrate.js\``,
  );
}

function redacted(url: string): string {
  return url.replace(/\/\/([^:@/]*)(:[^@]*)?@/, '//$1@');
}

function oneLine(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(oneLine).join('; ');
  return (error instanceof Error ? error.message || error.name : String(error)).replaceAll(/\s+/g, ' ');
}
