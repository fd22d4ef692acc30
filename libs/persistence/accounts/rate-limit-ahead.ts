import type { Queryable } from '../database/database.js';

/** How far the messages of each account are ahead of the pace that its limit sets, in milliseconds; 0: not at all. */
export async function rateLimitAhead(database: Queryable, accountIds: readonly string[]): Promise<number[]> {
  const rows = await database.query<{ account_id: string; ahead_ms: number }>(
    `select account_id, extract(epoch from greatest(rate_limit_until, n.now) - n.now)::float8 * 1000 as ahead_ms
       from account_balance, (select clock_timestamp() as now) n where account_id = any($1::bigint[])`,
    [accountIds],
  );
  const aheadOf = new Map(rows.map((row) => [row.account_id, row.ahead_ms]));
  return accountIds.map((accountId) => aheadOf.get(accountId) ?? 0);
}
