import type { Micros, OrderState } from '#billing';
import type { Queryable } from '../database/database.js';
import { OPEN_WORK_COUNT_MAX } from '../recovery/open-work.js';

/**
 * Orders that are not final and not scheduled, by state; without test messages.
 *
 * @param limit of so many, those that are due first, so that the question stays cheap however much waits
 */
export async function stateCounts(
  database: Queryable,
  limit = OPEN_WORK_COUNT_MAX,
): Promise<{ state: OrderState; count: number }[]> {
  const rows = await database.query<{ state: OrderState; count: string }>(
    `select state, count(*) as count
       from (select state, account_id from message_order where due_at is not null order by due_at limit $1) o
      where account_id > 0 group by state`,
    [limit],
  );
  return rows.map(({ state, count }) => ({ state, count: Number(count) }));
}

/** Messages whose time has not come; without test messages. */
export async function scheduledCount(database: Queryable): Promise<number> {
  // A message that was canceled or refunded keeps its place in the schedule until its time, also when retention has
  // dropped it.
  const [row] = await database.query<{ count: string }>(
    `select coalesce(sum(s.last_sequence - greatest(s.first_sequence, r.last_sequence + 1) + 1 - (
              select count(*) from order_exception e
               where e.account_id = s.account_id and e.state in ('canceled', 'failed')
                 and e.sequence between s.first_sequence and s.last_sequence)), 0) as count
       from order_schedule s left join account_retired r using (account_id)
      where s.account_id > 0 and s.last_sequence > coalesce(r.last_sequence, 0)`,
  );
  return Number(row?.count ?? 0);
}

/** Sums over all accounts of a currency, without sandboxes. */
export async function ledgerTotals(
  database: Queryable,
): Promise<{ currency: string; deposited: Micros; reserved: Micros; captured: Micros }[]> {
  const rows = await database.query<{ currency: string; deposited: string; reserved: string; captured: string }>(
    `select a.currency, sum(b.deposited) as deposited, sum(b.reserved) as reserved, sum(b.captured) as captured
       from account_balance b join account a using (account_id)
      where a.account_id > 0 group by a.currency order by a.currency`,
  );
  return rows.map((row) => ({
    currency: row.currency,
    deposited: BigInt(row.deposited),
    reserved: BigInt(row.reserved),
    captured: BigInt(row.captured),
  }));
}
