import type { Queryable } from '../database/database.js';

/** Of each kind in one call. */
const PURGE_LIMIT = 5_000;

/** Deletes what its time is over for, a slice at a call; returns whether there may be more. */
export async function purgeExpired(
  database: Queryable,
  idempotencyKeyHours: number,
  limit = PURGE_LIMIT,
): Promise<boolean> {
  const rows = await database.query<{ deleted: number }>(
    'select purge_expired(make_interval(hours => $1), $2) as deleted',
    [idempotencyKeyHours, limit],
  );
  return (rows[0]?.deleted ?? 0) >= limit;
}
