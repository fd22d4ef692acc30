import type { Queryable } from '../database/database.js';
import type { OrderMove } from './dispatch-write.js';

/** The code of an order that failed because no route is for its destination. */
export const NO_ROUTE = 'NO_ROUTE';

/** Ends queued orders that no route is for, by the routes as the database has them now; returns those that it ended. */
export function failUnroutable(
  database: Queryable,
  ids: readonly string[],
  inDoubtWaitSeconds: number,
): Promise<OrderMove[]> {
  return database.query<OrderMove>(`select * from fail_unroutable($1::uuid[], $2, make_interval(secs => $3))`, [
    ids,
    NO_ROUTE,
    inDoubtWaitSeconds,
  ]);
}

/** Messages that are looked at: those that wait for receipts are due as well, and may be millions. */
const LOOK_MAX = 100_000;
const QUEUED_COUNT_MAX = 10_000;

/** What is queued of the messages that are due first. */
const QUEUED = `
  select d.destination, d.only_carrier_id
    from (select destination, only_carrier_id, state from message_order
           where due_at is not null order by due_at limit $1) d
   where d.state = 'queued' limit ${QUEUED_COUNT_MAX}`;

/** Queued orders that no route is for, of those that are due first. */
export async function countUnroutable(database: Queryable, lookMax = LOOK_MAX): Promise<number> {
  const [row] = await database.query<{ unroutable: number }>(
    `select count(*)::integer as unroutable from (${QUEUED}) o
      where o.only_carrier_id is null
        and exists (select from route) and not exists (select from route r where starts_with(o.destination, r.prefix))`,
    [lookMax],
  );
  return row?.unroutable ?? 0;
}

/** Counts the queued orders that are due first by the prefix of their route; leaves out empty prefixes. */
export async function queuedByRoute(database: Queryable, lookMax = LOOK_MAX): Promise<Map<string, number>> {
  const rows = await database.query<{ prefix: string; queued: number }>(
    `select d.prefix, count(*)::integer as queued
       from (${QUEUED}) o
      cross join lateral (select r.prefix from route r where starts_with(o.destination, r.prefix)
                           order by length(r.prefix) desc limit 1) d
      group by d.prefix`,
    [lookMax],
  );
  return new Map(rows.map(({ prefix, queued }) => [prefix, queued]));
}
