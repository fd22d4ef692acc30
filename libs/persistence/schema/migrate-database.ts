import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { oneLine, VERSION } from '#config/light';
import { failureKind } from '../database/database-errors.js';
import { DatabaseUnavailable, poolerInBetween, unreachable } from '../database/database-unavailable.js';
import { isBehindPooler } from '../database/pooler.js';
import { installFunctions } from './install-functions.js';
import { lockAlteredTables } from './lock-altered-tables.js';
import { MIGRATIONS, type Migration } from './migrations.js';
import { readSql } from './read-sql.js';

/**
 * While a migration waits for a lock, every statement on that table waits behind it: so it steps back and tries again.
 */
const LOCK_TIMEOUT_MS = 2_000;
const TRIES_MAX = 30;
const PAUSE_MS = 1_000;

/**
 * Brings the schema up to date, also while gateways and workers run: the migrations that are missing, each in its own
 * transaction, then the functions in one. Safe to run at the same time from several places.
 *
 * @returns what has changed in a database that was there before; nothing for a new one
 * @throws DatabaseUnavailable in one line, when there is no session to do it in, or it never got its locks
 */
export async function migrateDatabase(url: string): Promise<string[]> {
  let source: DataSource;
  try {
    if (await isBehindPooler(url, 'heliograph-migrate')) {
      throw poolerInBetween('migrations need a session of their own for their lock');
    }
    source = await migrationSource(url);
    await source.initialize();
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    throw unreachable(url, 'DATABASE_URL', error);
  }
  try {
    // Two processes that start together must not both create the tables.
    const runner = source.createQueryRunner();
    await runner.query('set lock_timeout = 0');
    await runner.query(`select pg_advisory_lock(hashtext('heliograph.migrate'))`);
    try {
      const ranBefore = await ranMigrations(source);
      await untilLocked(() => source.runMigrations({ transaction: 'each' }));
      const hasNewFunctions = await untilLocked(() => source.transaction((manager) => installFunctions(manager)));
      if (ranBefore.length === 0) return [];
      const summaries = MIGRATIONS.filter(({ name }) => !ranBefore.includes(name)).map(({ summary }) => summary);
      return hasNewFunctions ? [...summaries, `the SQL functions of ${VERSION}`] : summaries;
    } finally {
      await runner.query(`select pg_advisory_unlock(hashtext('heliograph.migrate'))`);
      await runner.release();
    }
  } finally {
    await source.destroy();
  }
}

/** TypeORM runs the migrations and records them. It takes half a second to load, so nothing else uses it (ADR 30). */
async function migrationSource(url: string): Promise<DataSource> {
  const [{ DataSource }, { SurvivingClient }] = await Promise.all([import('typeorm'), import('#config')]);
  return new DataSource({
    type: 'postgres',
    applicationName: 'heliograph-migrate',
    poolSize: 2,
    connectTimeoutMS: 5_000,
    migrations: MIGRATIONS.map(migrationClass),
    migrationsTableName: 'schema_migration',
    logging: false,
    // Otherwise a migration that steps back prints that it has failed.
    logger: 'debug',
    extra: {
      // Not as TypeORM's own option: it would read the URL itself, and not as the driver does.
      connectionString: url,
      Client: SurvivingClient,
      keepAlive: true,
      // The role may have a bound of its own, which migrations do without.
      options: `-c statement_timeout=0 -c lock_timeout=${LOCK_TIMEOUT_MS}`,
    },
  });
}

/**
 * Each piece of work is one transaction: if something locks a table that it needs, all of it is undone and tried again.
 */
async function untilLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (failureKind(error) !== 'retryable') throw error;
      if (tries === TRIES_MAX) {
        throw new DatabaseUnavailable(`other sessions keep locked what a migration needs: ${oneLine(error)}`);
      }
    }
    await delay(PAUSE_MS);
  }
}

/** The names of those that ran before; none where the table of them is not there yet. */
async function ranMigrations(source: DataSource): Promise<string[]> {
  const rows: { name: string }[] = await source.query('select name from schema_migration').catch(() => []);
  return rows.map(({ name }) => name);
}

/** The class that TypeORM wants of a migration. */
function migrationClass({ file, name }: Migration): new () => MigrationInterface {
  return class implements MigrationInterface {
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      const statements = readSql(`schema/migrations/${file}.sql`);
      await lockAlteredTables(runner, statements);
      await runner.query(statements);
    }

    async down(): Promise<void> {
      throw new Error('migrations go forward only; restore a backup instead');
    }
  };
}
