import type { Queryable } from './database.js';

/** Whether the database takes writes. A replica does not, nor does a managed server that has run out of space. */
export async function takesWrites(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ is: boolean }>(`select current_setting('transaction_read_only') = 'off' as is`);
  return row?.is === true;
}

/**
 * For how long the oldest commit of the service has waited for a synchronous replica, in seconds; 0 when none waits.
 * PostgreSQL answers reads meanwhile, and no time limit of a statement ends the wait.
 */
export async function commitWaitSeconds(database: Queryable): Promise<number> {
  const [row] = await database.query<{ seconds: number }>(
    `select coalesce(extract(epoch from clock_timestamp() - min(query_start)), 0)::float8 as seconds
       from pg_stat_activity where wait_event = 'SyncRep' and datname = current_database()`,
  );
  return row?.seconds ?? 0;
}
