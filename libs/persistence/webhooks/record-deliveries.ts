import type { Database, Queryable } from '../database/database.js';
import { actAs } from '../operators/operator-changes.js';
import { type EventCursor, SERVER_START } from './lease-endpoints.js';
import { hasBatch } from './look-for-events.js';
import type { EventPlace } from './replay-events.js';
import type { AttemptKind } from './webhook-attempts.js';

/** How far an endpoint is, and how it is. */
export interface EndpointProgress {
  readonly endpointId: string;
  readonly cursor: EventCursor;
  /** The batch that was read last. */
  readonly lastBatch: string;
  /** That its place was read from, `SERVER_START`. */
  readonly server: string;
  readonly failures: number;
  readonly failingSince: Date | undefined;
  readonly lastSuccessAt: Date | undefined;
  readonly lastError: string | undefined;
  readonly replay: { readonly replayId: string; readonly cursor: EventCursor } | undefined;
}

/** One attempt that is recorded. */
export interface AttemptRecord extends EventPlace {
  readonly endpointId: string;
  readonly at: Date;
  readonly type: string;
  readonly kind: AttemptKind;
  readonly attempt: number;
  readonly outcome: 'delivered' | 'failed' | 'given_up';
  readonly httpStatus: number | undefined;
  readonly error: string | undefined;
  readonly durationMs: number;
  readonly nextAttemptAt: Date | undefined;
}

/**
 * Stores how far endpoints are, where this process still has them.
 *
 * The process may have gone on running while its database was restored, and a cursor from before that would pass over
 * events. So nothing is stored until the restore has been noticed, which takes the endpoints away. Where nobody can
 * notice it, a cursor is not stored if its transaction has not begun in this database, or if the server was started
 * anew and does not have the batch that was read last.
 */
export async function saveProgress(
  database: Queryable,
  owner: string,
  progress: readonly EndpointProgress[],
): Promise<void> {
  if (progress.length === 0) return;
  const column = <Value>(of: (one: EndpointProgress) => Value) => progress.map(of);
  await database.query(
    `with saved as (
       update webhook_progress p
          set cursor_xid = n.xid, cursor_batch = n.batch_id, cursor_index = n.index, failures = n.failures,
              failing_since = n.failing_since, last_success_at = coalesce(n.last_success_at, p.last_success_at),
              last_error = coalesce(n.last_error, p.last_error)
         from unnest($2::text[], $3::xid8[], $4::bigint[], $5::integer[], $6::integer[], $7::timestamptz[],
                     $8::timestamptz[], $9::text[], $14::bigint[], $15::text[])
              as n(endpoint_id, xid, batch_id, index, failures, failing_since, last_success_at, last_error,
                   last_batch, server)
        where p.endpoint_id = n.endpoint_id and p.owner = $1
          and n.xid < pg_snapshot_xmax(pg_current_snapshot()) and (select database_identity_change()) is null
          and (n.server = ${SERVER_START} or ${hasBatch('n.last_batch')})
       returning p.endpoint_id
     )
     update webhook_replay r set cursor_xid = n.xid, cursor_batch = n.batch_id, cursor_index = n.index
       from unnest($10::bigint[], $11::xid8[], $12::bigint[], $13::integer[]) as n(replay_id, xid, batch_id, index)
      where r.replay_id = n.replay_id and r.endpoint_id in (select endpoint_id from saved)`,
    [
      owner,
      column((one) => one.endpointId),
      column((one) => one.cursor.xid),
      column((one) => one.cursor.batchId),
      column((one) => one.cursor.index),
      column((one) => one.failures),
      column((one) => one.failingSince ?? null),
      column((one) => one.lastSuccessAt ?? null),
      column((one) => one.lastError ?? null),
      column((one) => one.replay?.replayId ?? null),
      column((one) => one.replay?.cursor.xid ?? null),
      column((one) => one.replay?.cursor.batchId ?? null),
      column((one) => one.replay?.cursor.index ?? null),
      column((one) => one.lastBatch),
      column((one) => one.server),
    ],
  );
}

/**
 * Records an attempt, and with it when the event is sent again. A replay or a test that was asked for while an attempt
 * of the event was made stays as it is.
 *
 * @param dueAt when it is sent again; undefined: never, and it is forgotten
 */
export async function recordAttempt(
  database: Queryable,
  attempt: AttemptRecord,
  dueAt: Date | undefined,
): Promise<void> {
  const { endpointId, batchId, index } = attempt;
  await database.query(
    `with again as (
       insert into webhook_retry (endpoint_id, batch_id, index, kind, attempts, due_at)
       select $1, $2, $3, $4, $5, $6 from webhook_endpoint e where e.endpoint_id = $1 and $6::timestamptz is not null
       on conflict (endpoint_id, batch_id, index) do update set attempts = excluded.attempts, due_at = excluded.due_at
         where webhook_retry.kind = 'event' or excluded.kind <> 'event'
     ), over as (
       delete from webhook_retry where endpoint_id = $1 and batch_id = $2 and index = $3 and $6::timestamptz is null
         and (kind = 'event' or $4 <> 'event')
     )
     insert into webhook_attempt (endpoint_id, batch_id, index, kind, attempt, at, type, outcome, http_status, error,
                                  duration_ms, next_attempt_at)
     values ($1, $2, $3, $4, $5, $7, $8, $9, $10, $11, $12, $6)`,
    [
      endpointId,
      batchId,
      index,
      attempt.kind,
      attempt.attempt,
      dueAt ?? null,
      attempt.at,
      attempt.type,
      attempt.outcome,
      attempt.httpStatus ?? null,
      attempt.error ?? null,
      attempt.durationMs,
    ],
  );
}

/** An event that was sent again has arrived, or is not kept any more; a replay that was asked for meanwhile stays. */
export async function forgetRetry(
  database: Queryable,
  endpointId: string,
  { batchId, index, kind }: EventPlace & { readonly kind: AttemptKind },
): Promise<void> {
  await database.query(
    'delete from webhook_retry where endpoint_id = $1 and batch_id = $2 and index = $3 and kind = $4',
    [endpointId, batchId, index, kind],
  );
}

/** Events that cannot be told now are sent at this time; a replay that was asked for stays one. */
export async function putOffEvents(
  database: Queryable,
  endpointId: string,
  events: readonly EventPlace[],
  dueAt: Date,
): Promise<void> {
  await database.query(
    `insert into webhook_retry (endpoint_id, batch_id, index, kind, due_at)
     select e.endpoint_id, u.batch_id, u.index, 'event', $4
       from webhook_endpoint e cross join unnest($2::bigint[], $3::integer[]) as u(batch_id, index)
      where e.endpoint_id = $1
     on conflict (endpoint_id, batch_id, index) do update set due_at = excluded.due_at`,
    [endpointId, events.map(({ batchId }) => batchId), events.map(({ index }) => index), dueAt],
  );
}

/** The endpoint works again: what failed is sent at once. */
export async function retryAtOnce(database: Queryable, endpointId: string, now: Date): Promise<void> {
  await database.query('update webhook_retry set due_at = $2 where endpoint_id = $1 and due_at > $2', [
    endpointId,
    now,
  ]);
}

/** @returns whether the process has this endpoint; if not, the replay goes on where that is */
export async function endReplay(
  database: Queryable,
  owner: string,
  endpointId: string,
  replayId: string,
): Promise<boolean> {
  const had = await database.query(
    `with had as (
       select endpoint_id from webhook_progress where endpoint_id = $2 and owner = $1
     ), over as (
       delete from webhook_replay r using had where r.replay_id = $3 and r.endpoint_id = had.endpoint_id
     )
     select from had`,
    [owner, endpointId, replayId],
  );
  return had.length > 0;
}

/**
 * Stops deliveries to an endpoint, for a reason that its receiver has given. Its events are kept.
 *
 * @param url of the receiver. If the owner has moved the endpoint to another one since, that one is to get its events
 * @returns whether it is disabled by this
 */
export function disableReceiver(
  database: Database,
  endpointId: string,
  reason: 'gone' | 'failing',
  url: string,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await actAs(transaction, { operator: 'webhooks' });
    const disabled = await transaction.query(
      `update webhook_endpoint set disabled_at = now(), disabled_reason = $2
        where endpoint_id = $1 and disabled_at is null and url = $3 returning 1`,
      [endpointId, reason, url],
    );
    return disabled.length > 0;
  });
}

/** Attempts that are removed at a call. */
const TIDIED_MAX = 5_000;

/**
 * Removes what its time is over for, a slice at a call.
 *
 * @returns whether there may be more
 */
export async function tidyWebhooks(database: Queryable, eventDays: number, attemptDays: number): Promise<boolean> {
  await database.query('select empty_old_events(make_interval(days => $1))', [eventDays]);
  const attempts = await database.query(
    `delete from webhook_attempt where attempt_id in (
       select a.attempt_id from webhook_attempt a order by a.attempt_id limit ${TIDIED_MAX})
      and at < now() - make_interval(days => $1) returning 1`,
    [attemptDays],
  );
  const accounts = await database.query<{ account_id: string }>(
    `select distinct account_id from webhook_endpoint
      where disabled_at between now() - make_interval(days => $1 + 1) and now() - make_interval(days => $1)`,
    [eventDays],
  );
  // One transaction for each, because it locks the account.
  for (const { account_id } of accounts) await database.query('select refresh_event_wish($1)', [account_id]);
  return attempts.length === TIDIED_MAX;
}
