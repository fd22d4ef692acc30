import type { Database } from '../database/database.js';
import { ALIVE_WITHIN_SECONDS } from '../database/heartbeat.js';
import { openWebhookSecret, storedSecrets } from './endpoint-secrets.js';

/** Where a reader of events is: after a batch, and after so many events of the batch with the next id. */
export interface EventCursor {
  readonly xid: string;
  readonly batchId: string;
  readonly index: number;
}

/** When the database server was started: it is started anew to restore its files, which nobody else notices. */
export const SERVER_START = 'extract(epoch from pg_postmaster_start_time())::text';

/** What a process needs to deliver to an endpoint. */
export interface LeasedEndpoint {
  readonly endpointId: string;
  readonly accountId: string;
  readonly url: string;
  /** The one that signs; while it replaces others, all of them. Do not show or log them. */
  readonly secrets: readonly string[];
  readonly cursor: EventCursor;
  /** Of the server that the cursor was read from, `SERVER_START`. */
  readonly server: string;
  /** In a row. */
  readonly failures: number;
  readonly failingSince: Date | undefined;
}

interface Row {
  endpoint_id: string;
  account_id: string;
  url: string;
  secret: string;
  old_secret: string | null;
  cursor_xid: string;
  cursor_batch: string;
  cursor_index: number;
  server: string;
  failures: number;
  failing_since: Date | null;
}

/**
 * Takes endpoints that no living process has, up to this one's share of all. None in a database whose restore nobody
 * has noticed yet: the places in the events may not be right there.
 *
 * @param except what this process delivers. If it has lost one of them, it must end that delivery before it takes the
 *   endpoint again, because the place in the database may have changed
 * @returns the ids of those that were taken now
 */
export async function takeEndpoints(database: Database, owner: string, except: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ endpoint_id: string }>(
    `with alive as (
       select h.process_id from process_heartbeat h
        where h.role = 'webhooks' and h.seen_at > now() - make_interval(secs => $2)
     ), standing as (
       select count(*) as count, count(*) filter (where p.owner = $1) as mine
         from webhook_progress p join webhook_endpoint e using (endpoint_id) where e.disabled_at is null
     ), free as (
       select p.endpoint_id from webhook_progress p join webhook_endpoint e using (endpoint_id)
        where e.disabled_at is null and p.endpoint_id <> all($3) and (select database_identity_change()) is null
          and (p.owner is null or p.owner <> $1 and p.owner not in (select process_id from alive))
        limit (select greatest(0, ceil(count / greatest(1, (select count(*) from alive))::numeric) - mine) from standing)
          for update of p skip locked
     )
     update webhook_progress p set owner = $1 from free f where p.endpoint_id = f.endpoint_id returning p.endpoint_id`,
    [owner, ALIVE_WITHIN_SECONDS, except],
  );
  return rows.map((row) => row.endpoint_id);
}

/**
 * The endpoints of a process, always in the same order, and how many of them it may have; and the database's time.
 *
 * @param onUnreadable is told of endpoints whose secret this process cannot decrypt
 */
export async function leasedEndpoints(
  database: Database,
  owner: string,
  onUnreadable: (endpointId: string, error: unknown) => void,
): Promise<{ readonly endpoints: readonly LeasedEndpoint[]; readonly share: number; readonly databaseTime: Date }> {
  const rows = await database.query<Row>(
    `select e.endpoint_id, e.account_id, e.url, e.secret,
            case when e.overlap_until > now() then e.old_secret end as old_secret,
            p.cursor_xid, p.cursor_batch, p.cursor_index, p.failures, p.failing_since, ${SERVER_START} as server
       from webhook_progress p join webhook_endpoint e using (endpoint_id)
      where p.owner = $1 and e.disabled_at is null order by p.endpoint_id`,
    [owner],
  );
  const [fair] = await database.query<{ share: number; at: Date }>(
    `select ceil((select count(*) from webhook_endpoint where disabled_at is null)
                 / greatest(1, count(*))::numeric)::integer as share, now() as at
       from process_heartbeat where role = 'webhooks' and seen_at > now() - make_interval(secs => $1)`,
    [ALIVE_WITHIN_SECONDS],
  );
  const open = (id: string, stored: string) => openWebhookSecret(database.secretKeys, id, stored);
  const endpoints = rows.flatMap((row) => {
    try {
      const stored = [row.secret, ...storedSecrets(row.old_secret)];
      return [
        leasedOf(
          row,
          stored.map((secret) => open(row.endpoint_id, secret)),
        ),
      ];
    } catch (error) {
      onUnreadable(row.endpoint_id, error);
      return [];
    }
  });
  if (fair === undefined) throw new Error('the database tells no time');
  return { endpoints, share: fair.share, databaseTime: fair.at };
}

/** Gives endpoints to whoever takes them next. */
export async function releaseEndpoints(database: Database, owner: string, ids?: readonly string[]): Promise<void> {
  await database.query(
    'update webhook_progress set owner = null where owner = $1 and ($2::text[] is null or endpoint_id = any($2))',
    [owner, ids ?? null],
  );
}

function leasedOf(row: Row, secrets: readonly string[]): LeasedEndpoint {
  return {
    endpointId: row.endpoint_id,
    accountId: row.account_id,
    url: row.url,
    secrets,
    cursor: { xid: row.cursor_xid, batchId: row.cursor_batch, index: row.cursor_index },
    server: row.server,
    failures: row.failures,
    failingSince: row.failing_since ?? undefined,
  };
}
