import type { Queryable } from '../database/database.js';
import { hasHappenedSince } from './read-events.js';

/**
 * For how many seconds the oldest event waits for its first attempt, or an attempt that is due waits to be made; 0:
 * none waits. Webhooks that are disabled or whose receivers fail do not count: those wait for their receivers, not for
 * us.
 */
export async function webhookLagSeconds(database: Queryable): Promise<number> {
  const [row] = await database.query<{ seconds: number | null }>(
    `select extract(epoch from now() - least(min(e.at), min(r.due_at)))::float8 as seconds
       from webhook_endpoint w join webhook_progress p using (endpoint_id)
       left join lateral (
         select event_time(b.batch_id) as at from event_batch b
          where b.account_id = w.account_id and (b.xid, b.batch_id) > (p.cursor_xid, p.cursor_batch)
            and b.type = any(w.events) and ${hasHappenedSince('p.since')}
          order by b.xid, b.batch_id limit 1) e on true
       left join lateral (
         select y.due_at from webhook_retry y where y.endpoint_id = w.endpoint_id and y.due_at < now()
          order by y.due_at limit 1) r on true
      where w.disabled_at is null and p.failing_since is null`,
  );
  return Math.max(0, row?.seconds ?? 0);
}
