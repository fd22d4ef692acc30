import type { Queryable } from '../database/database.js';
import type { OrderMove } from './record-submits.js';

/** Where a queued order is to go. */
export interface OrderPlace {
  readonly id: string;
  readonly destination: string;
  /** The carrier that has segments of it already, or that it is bound to: it goes on with that one. */
  readonly begunBy: number | undefined;
}

/** What routes are chosen by, for those of the orders that may be handed to a carrier now. */
export async function orderPlaces(database: Queryable, ids: readonly string[]): Promise<OrderPlace[]> {
  const rows = await database.query<{ id: string; destination: string; begun_by: number | null }>(
    `select o.id, o.destination,
            coalesce(o.only_carrier_id, case when o.attempts > 0 then
              (select max(s.carrier_id) from segment s join carrier c on c.carrier_id = s.carrier_id and c.removed_at is null
                where s.message_id = o.id and s.state in ('accepted', 'delivered', 'undelivered', 'unknown')) end) as begun_by
       from message_order o
      where o.id = any($1::uuid[]) and o.state = 'queued' and o.valid_until > now()
        and (o.next_attempt_at is null or o.next_attempt_at <= now())`,
    [ids],
  );
  return rows.map((row) => ({ id: row.id, destination: row.destination, begunBy: row.begun_by ?? undefined }));
}

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

/**
 * The carriers whose queues may hold something: all that there are, all that routes name, and those that were removed a short
 * while ago, whose queues are emptied.
 */
export async function carriersWithQueues(database: Queryable): Promise<number[]> {
  const rows = await database.query<{ carrier_id: number }>(
    `select carrier_id from carrier where removed_at is null or removed_at > now() - interval '1 hour'
      union select carrier_id from route order by carrier_id`,
  );
  return rows.map((row) => row.carrier_id);
}

const QUEUED_COUNT_MAX = 10_000;

/** Queued orders that no route is for, of the oldest ones. */
export async function countUnroutable(database: Queryable): Promise<number> {
  const [row] = await database.query<{ unroutable: number }>(
    `select count(*)::integer as unroutable
       from (select destination from message_order where due_at is not null and state = 'queued' and only_carrier_id is null
              order by due_at limit $1) o
      where exists (select from route) and not exists (select from route r where starts_with(o.destination, r.prefix))`,
    [QUEUED_COUNT_MAX],
  );
  return row?.unroutable ?? 0;
}

/** Queued orders by the prefix of the route that decides for them, of the oldest ones; prefixes without any are left out. */
export async function queuedByRoute(database: Queryable): Promise<Map<string, number>> {
  const rows = await database.query<{ prefix: string; queued: number }>(
    `select d.prefix, count(*)::integer as queued
       from (select destination from message_order where due_at is not null and state = 'queued' order by due_at limit $1) o
      cross join lateral (select r.prefix from route r where starts_with(o.destination, r.prefix)
                           order by length(r.prefix) desc limit 1) d
      group by d.prefix`,
    [QUEUED_COUNT_MAX],
  );
  return new Map(rows.map(({ prefix, queued }) => [prefix, queued]));
}
