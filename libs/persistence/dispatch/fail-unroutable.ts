import type { Queryable } from '../database/database.js';
import type { OrderMove } from './record-submits.js';

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

const QUEUED_COUNT_MAX = 10_000;

/** Queued orders that no route is for, of the oldest ones. */
export async function countUnroutable(database: Queryable): Promise<number> {
  const [row] = await database.query<{ unroutable: number }>(
    `select count(*)::integer as unroutable
       from (select destination from message_order
              where due_at is not null and state = 'queued' and only_carrier_id is null order by due_at limit $1) o
      where exists (select from route) and not exists (select from route r where starts_with(o.destination, r.prefix))`,
    [QUEUED_COUNT_MAX],
  );
  return row?.unroutable ?? 0;
}

/** Counts the oldest queued orders by the prefix of the route that decides for them; leaves out empty prefixes. */
export async function queuedByRoute(database: Queryable): Promise<Map<string, number>> {
  const rows = await database.query<{ prefix: string; queued: number }>(
    `select d.prefix, count(*)::integer as queued
       from (select destination from message_order
              where due_at is not null and state = 'queued' order by due_at limit $1) o
      cross join lateral (select r.prefix from route r where starts_with(o.destination, r.prefix)
                           order by length(r.prefix) desc limit 1) d
      group by d.prefix`,
    [QUEUED_COUNT_MAX],
  );
  return new Map(rows.map(({ prefix, queued }) => [prefix, queued]));
}
