import type { DataSource, MigrationInterface } from 'typeorm';
import type { SessionBounds } from './pooler.js';

export interface PoolOptions {
  readonly url: string;
  /** Connections that this process may hold. */
  readonly poolSize: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** 0: without bounds, for migrations. */
  readonly statementTimeoutMs?: number;
}

/** While a migration waits for a lock, all who want that table wait behind it: it steps back, and tries again. */
const MIGRATION_LOCK_TIMEOUT_MS = 2_000;

/** TypeORM's data source: the pool, its transactions and, where `migrations` are given, their runner. */
export async function createDataSource(
  options: PoolOptions,
  isPooled: boolean,
  migrations: (new () => MigrationInterface)[] = [],
): Promise<DataSource> {
  const [{ DataSource }, { SurvivingClient }] = await Promise.all([import('typeorm'), import('#config')]);
  const { statementTimeoutMs, lockTimeoutMs } = boundsOf(options);
  return new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    poolSize: options.poolSize,
    connectTimeoutMS: 5_000,
    migrations,
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

export function boundsOf({ statementTimeoutMs = 5_000 }: Pick<PoolOptions, 'statementTimeoutMs'>): SessionBounds {
  return { statementTimeoutMs, lockTimeoutMs: statementTimeoutMs };
}
