import type { Queryable } from './database.js';

/** How the database itself is. */
export interface DatabaseFigures {
  /** On disk, without the write-ahead log. */
  readonly bytes: number;
  /** Of clients, to all databases of the server. */
  readonly connections: number;
  /** As the server allows. */
  readonly connectionsMax: number;
  /**
   * Age of the oldest transaction in this database: vacuum removes nothing that it may see. PostgreSQL tells a role of
   * transactions of other roles only if it has `pg_read_all_stats`.
   */
  readonly oldestTransactionSeconds: number;
  /** Write-ahead log that replication slots keep back. */
  readonly retainedWalBytes: number;
}

export async function databaseFigures(database: Queryable): Promise<DatabaseFigures> {
  const [row] = await database.query<{
    bytes: string;
    connections: number;
    connections_max: number;
    oldest: number | null;
    retained: string | null;
  }>(
    `select pg_database_size(current_database()) as bytes,
            (select sum(numbackends)::integer from pg_stat_database) as connections,
            current_setting('max_connections')::integer as connections_max,
            (select extract(epoch from now() - min(xact_start))::float8 from pg_stat_activity
              where datname = current_database() and pid <> pg_backend_pid()) as oldest,
            case when not pg_is_in_recovery() then (
              select max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))::bigint from pg_replication_slots) end as retained`,
  );
  return {
    bytes: Number(row?.bytes ?? 0),
    connections: row?.connections ?? 0,
    connectionsMax: row?.connections_max ?? 0,
    oldestTransactionSeconds: Math.max(0, row?.oldest ?? 0),
    retainedWalBytes: Number(row?.retained ?? 0),
  };
}
