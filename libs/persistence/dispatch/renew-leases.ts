import type { Queryable } from '../database/database.js';

/**
 * Extends the leases of orders in flight; returns those that the worker still owns. Orders that another transaction
 * holds come last, so that the leases of all others do not end meanwhile. Locks them in the order of ids.
 */
export async function renewLeases(
  database: Queryable,
  workerId: string,
  ids: readonly string[],
  leaseSeconds: number,
): Promise<Set<string>> {
  const extend = async (some: readonly string[], whereHeld: 'skip locked' | '') => {
    const rows = await database.query<{ id: string }>(
      `with held as (
         select id from message_order
          where id = any($1::uuid[]) and owner = $2 and state = 'sending' and lease_until > now()
          order by id for update ${whereHeld}
       )
       update message_order o set lease_until = now() + make_interval(secs => $3)
         from held h where o.id = h.id returning o.id`,
      [some, workerId, leaseSeconds],
    );
    return rows.map((row) => row.id);
  };
  const renewed = new Set(await extend(ids, 'skip locked'));
  const others = ids.filter((id) => !renewed.has(id));
  if (others.length > 0) for (const id of await extend(others, '')) renewed.add(id);
  return renewed;
}
