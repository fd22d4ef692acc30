import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { ALIVE_WITHIN_SECONDS } from '../database/heartbeat.js';

/** A worker's leases of a carrier's shared binds. */
interface BindLease {
  /** The slots that this worker holds until their lease ends. */
  readonly held: readonly number[];
  /** How many it should hold, so that every live worker has its part. */
  readonly share: number;
  /** Binds of all workers together. */
  readonly bindCount: number;
}

/** Renews the worker's leases and takes free slots up to its share. */
export async function leaseBinds(
  database: Queryable,
  carrierId: number,
  workerId: string,
  leaseMs: number,
): Promise<BindLease> {
  const [row] = await database.query<{ held: number[]; share: number; bind_count: number }>(
    `select * from lease_binds($1, $2, make_interval(secs => $3), make_interval(secs => $4))`,
    [carrierId, workerId, leaseMs / 1_000, ALIVE_WITHIN_SECONDS],
  );
  return { held: row?.held ?? [], share: row?.share ?? 0, bindCount: row?.bind_count ?? 0 };
}

/** Gives slots back after their binds are closed, and tells the other workers at once. */
export async function releaseBinds(
  database: Database,
  carrierId: number,
  workerId: string,
  slots: readonly number[],
): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(
      `update carrier_bind set owner = null, lease_until = '-infinity'
        where carrier_id = $1 and owner = $2 and slot = any($3::smallint[])`,
      [carrierId, workerId, slots],
    );
    await announceChange(transaction, 'carriers');
  });
}
