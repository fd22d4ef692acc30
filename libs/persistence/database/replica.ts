import pg from 'pg';
import { IDLE_CONNECTION_MS } from '#config/light';
import type { TextKeys } from '../texts/text-keys.js';
import type { Queryable } from './database.js';

const CONNECT_TIMEOUT_MS = 1_000;
const STATEMENT_TIMEOUT_MS = 2_000;

/** How far the write-ahead log goes, as a number of bytes. */
export type WalPosition = bigint;

interface ReplicaSettings {
  readonly url: string;
  readonly poolSize: number;
  readonly applicationName: string;
  /** Those of the primary. */
  readonly texts: TextKeys;
}

/** A streaming replica, read only. It is connected to when it is first asked, and again whenever it was away. */
export class Replica implements Queryable {
  private readonly pool: pg.Pool;
  readonly texts: TextKeys;

  constructor({ url, poolSize, applicationName, texts }: ReplicaSettings) {
    this.texts = texts;
    this.pool = new pg.Pool({
      connectionString: url,
      max: poolSize,
      application_name: applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_CONNECTION_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS + 500,
      keepAlive: true,
    });
    // What went wrong is told to whoever asks next.
    this.pool.on('error', () => undefined);
  }

  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.pool.query(sql, [...parameters])).rows as Row[];
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

/** What the primary has made durable, the commits that it has answered included. */
export async function durablePosition(primary: Queryable): Promise<WalPosition> {
  const [row] = await primary.query<{ position: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::text as position`,
  );
  return BigInt(row?.position ?? 0);
}

/**
 * Up to where a replica shows what the primary wrote.
 *
 * @throws Error when it is not a replica
 */
export async function replayedPosition(replica: Queryable): Promise<WalPosition> {
  const [row] = await replica.query<{ position: string | null; is_replica: boolean }>(
    `select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text as position, pg_is_in_recovery() as is_replica`,
  );
  if (row?.is_replica !== true) throw new Error('it is no replica, or none any more: it takes writes of its own');
  return BigInt(row.position ?? 0);
}

/**
 * Whether it follows this very primary.
 *
 * @throws Error when it is a replica of something else
 */
export async function checkOrigin(primary: Queryable, replica: Queryable): Promise<void> {
  const [here, there] = await Promise.all([primary, replica].map(systemIdentifier));
  // A server may keep it to itself.
  if (here !== undefined && there !== undefined && here !== there) throw new Error('it is a replica of another server');
}

async function systemIdentifier(server: Queryable): Promise<string | undefined> {
  const rows = await server
    .query<{ id: string }>('select system_identifier::text as id from pg_control_system()')
    .catch(() => []);
  return rows[0]?.id;
}

export interface ReplicaLag {
  readonly bytes: number;
  /** Age of the last transaction that it shows; 0 when it shows all. */
  readonly seconds: number;
}

/**
 * How far a replica is behind.
 *
 * @throws Error when it cannot be asked or is no replica of this primary
 */
export async function replicaLag(primary: Queryable, replica: Queryable): Promise<ReplicaLag> {
  await checkOrigin(primary, replica);
  const durable = await durablePosition(primary);
  const replayed = await replayedPosition(replica);
  const bytes = replayed >= durable ? 0 : Number(durable - replayed);
  if (bytes === 0) return { bytes, seconds: 0 };
  const [row] = await replica.query<{ seconds: number | null }>(
    `select extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as seconds`,
  );
  return { bytes, seconds: Math.max(0, row?.seconds ?? 0) };
}
