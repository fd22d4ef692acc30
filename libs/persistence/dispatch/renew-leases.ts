import type { Queryable } from '../database/database.js';

/** Extends the leases of orders in flight; returns those that the worker still owns. Locks them in the order of ids. */
export async function renewLeases(
  database: Queryable,
  workerId: string,
  ids: readonly string[],
  leaseSeconds: number,
): Promise<Set<string>> {
  const rows = await database.query<{ id: string }>(
    `with held as (
       select id from message_order
        where id = any($1::uuid[]) and owner = $2 and state = 'sending' and lease_until > now() order by id for update
     )
     update message_order o set lease_until = now() + make_interval(secs => $3)
       from held h where o.id = h.id returning o.id`,
    [ids, workerId, leaseSeconds],
  );
  return new Set(rows.map((row) => row.id));
}
