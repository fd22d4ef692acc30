import pg from 'pg';
import { IDLE_CONNECTION_MS } from '#config/light';
import { tryAgain } from '#timing';
import { failureKind, sqlState } from './database-errors.js';
import { isPooledClient, isRefusedSetting, localBounds, type SessionBounds } from './pooler.js';
import type { StatementRunner, StatementSource } from './statement-source.js';

export interface PoolOptions {
  readonly url: string;
  /** Connections that this process may hold. */
  readonly poolSize: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly statementTimeoutMs?: number;
}

/** Different statements that are kept prepared on a connection; the service has some forty. */
const PREPARED_MAX = 200;
const STATEMENT_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Long enough for three that time out: a machine that starts all processes at once may be too busy for the first. */
const FIRST_CONNECTION = { giveUpAfterMs: 2.5 * CONNECT_TIMEOUT_MS, waitMs: 250 };
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/**
 * The connections of one process. Each statement outside a transaction is prepared once on a connection and then sent
 * by its name, which saves the server its parsing and planning.
 *
 * Behind a pooler statements have no names: each may meet another session, and only PgBouncer from 1.21 on follows them
 * there. A pooler refuses settings of a session as well, so they are set in each transaction.
 *
 * A migration beside the running process may change what a statement answers. PostgreSQL then refuses the prepared one
 * on that connection for good, before it has done anything: it is prepared anew, under another name.
 */
export async function openPool(options: PoolOptions): Promise<StatementSource & { readonly isPooled: boolean }> {
  // Loaded here, because it comes with the validation of settings, for which a command of smsctl has no use.
  const { SurvivingClient } = await import('#config');
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const bounds: SessionBounds = { statementTimeoutMs, lockTimeoutMs: statementTimeoutMs };
  const plain: pg.PoolConfig = {
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.poolSize,
    Client: SurvivingClient,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    // The client gives up a little later than the server, so that a dead connection is noticed as well.
    query_timeout: statementTimeoutMs + 2_000,
  };
  const told: pg.PoolConfig = {
    ...plain,
    statement_timeout: bounds.statementTimeoutMs,
    lock_timeout: bounds.lockTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  };
  const { pool, isPooled } = await connected(told).catch((error: unknown) => {
    if (isRefusedSetting(error)) return connected(plain);
    throw error;
  });
  return {
    query: isPooled ? (text, values = []) => runOn(pool, { text, values }) : preparedOn(pool),
    transaction: (work) => inTransaction(pool, isPooled ? localBounds(bounds) : undefined, work),
    destroy: () => pool.end(),
    isPooled,
  };
}

/** A pool with its first connection, which tells whether a pooler stands before the database. */
async function connected(config: pg.PoolConfig): Promise<{ pool: pg.Pool; isPooled: boolean }> {
  const pool = new pg.Pool(config);
  // An idle connection that breaks leaves the pool by itself; without a listener it would end the process.
  pool.on('error', () => undefined);
  try {
    const client = await tryAgain(() => pool.connect(), isNotReadyYet, FIRST_CONNECTION);
    const isPooled = await isPooledClient(client).finally(() => client.release());
    return { pool, isPooled };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/**
 * Whether the server is busy, or says that it is starting up or shutting down (cannot_connect_now). Whatever else is
 * wrong stays wrong. pg-pool has no code for a timeout.
 */
function isNotReadyYet(error: unknown): boolean {
  return sqlState(error) === '57P03' || (error instanceof Error && /connection timeout/.test(error.message));
}

/** Sends each statement by the name under which the connection has it prepared. */
function preparedOn(pool: pg.Pool): StatementRunner['query'] {
  const names = new Map<string, string>();
  let named = 0;

  const nameOf = (sql: string): string | undefined => {
    const known = names.get(sql);
    if (known !== undefined || names.size >= PREPARED_MAX) return known;
    named += 1;
    const name = `heliograph_${named}`;
    names.set(sql, name);
    return name;
  };

  const query = async (text: string, values: unknown[], isAgain: boolean): Promise<unknown> => {
    const name = nameOf(text);
    try {
      return await runOn(pool, name === undefined ? { text, values } : { name, text, values });
    } catch (error) {
      if (isAgain || !hasAnotherResultNow(error)) throw error;
      // Another connection may have met it before.
      if (names.get(text) === name) names.delete(text);
      return query(text, values, true);
    }
  };
  return (text, values = []) => query(text, values, false);
}

/**
 * Runs one statement on a connection of the pool. A statement that the server refuses, e.g. because it waits too long
 * for a lock, costs no connection: `query` of the pool itself would close it, and each new one has to plan everything
 * anew.
 */
async function runOn(pool: pg.Pool, statement: pg.QueryConfig): Promise<unknown> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query(statement);
    client.release();
    return rows;
  } catch (error) {
    client.release(failureKind(error) === 'unavailable');
    throw error;
  }
}

/** @param bounds statements that come first in the transaction */
async function inTransaction<Result>(
  pool: pg.Pool,
  bounds: string | undefined,
  work: (transaction: StatementRunner) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    if (bounds !== undefined) await client.query(bounds);
    const result = await work({ query: async (sql, values) => (await client.query(sql, values)).rows });
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // A connection that cannot roll back is closed, so that nobody else gets its transaction.
    const isBroken = await client.query('rollback').then(
      () => false,
      () => true,
    );
    client.release(isBroken);
    throw error;
  }
}

/**
 * Many refusals share this SQLSTATE; the place in the server that sends this one is named alike in every language
 * (plancache.c).
 */
function hasAnotherResultNow(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}
