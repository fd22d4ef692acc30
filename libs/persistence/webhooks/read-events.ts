import type { Micros } from '#billing';
import type { Queryable } from '../database/database.js';
import type { EventCursor } from './lease-endpoints.js';
import type { EventPlace } from './replay-events.js';
import type { AttemptKind } from './webhook-attempts.js';

/** Events of one kind that were written together. */
export interface EventBatch {
  readonly xid: string;
  readonly batchId: string;
  readonly type: string;
  readonly at: Date;
  /** Whether the reader wants this type. */
  readonly isWanted: boolean;
  /** Empty where it does not. */
  readonly messageIds: readonly string[];
  /** The reasons, where messages ended other than as delivered. */
  readonly codes: readonly (string | null)[] | undefined;
  /** Of an event that is about no single message. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

/** What an event tells of a message beside its status. */
export interface EventMessage {
  readonly id: string;
  readonly reference: string | undefined;
  readonly tag: string | undefined;
  readonly segments: number;
  readonly amount: Micros;
  readonly currency: string;
}

/** What is read of an account for an endpoint: the batches after a place. */
export interface EventRead {
  readonly endpointId: string;
  readonly accountId: string;
  readonly after: EventCursor;
  /** Only batches with these ids. */
  readonly range?: { readonly from: string; readonly until: string } | undefined;
}

interface BatchRow {
  xid: string;
  batch_id: string;
  type: string;
  at: Date;
  is_wanted: boolean | null;
  message_ids: string[] | null;
  codes: (string | null)[] | null;
  data: Record<string, unknown> | null;
}

const XID_MAX = "'18446744073709551615'::xid8";
const ID_MAX = '9223372036854775807';
const COLUMNS = 'b.xid, b.batch_id, b.type, event_time(b.batch_id) as at, b.data, b.codes';

/** @param since the snapshot of an endpoint, in SQL */
export function hasHappenedSince(since: string): string {
  return `coalesce(not pg_visible_in_snapshot(b.xid, ${since}), true)`;
}

/**
 * The batches of accounts after a cursor, in the order in which their transactions were begun. Those of transactions
 * that began after one that still runs come later, so that none is passed over.
 *
 * Which types an endpoint wants is read in the same statement: an event that happens after its owner has asked for a
 * type is not passed over, even if the process that delivers has not heard of that yet. What had happened when the
 * endpoint began is wanted only in a range.
 *
 * @param limit of each read: so many batches, and none behind so many events that are wanted
 * @returns the batches of each read
 */
export async function readEvents(
  database: Queryable,
  reads: readonly EventRead[],
  limit: { readonly batches: number; readonly events: number },
): Promise<EventBatch[][]> {
  const rows = await database.query<BatchRow & { n: number }>(
    `select ${COLUMNS}, r.n::integer, b.is_wanted, case when b.is_wanted then b.message_ids end as message_ids
       from unnest($1::text[], $2::bigint[], $3::xid8[], $4::bigint[], $5::bigint[], $6::bigint[]) with ordinality
            as r(endpoint_id, account_id, xid, batch_id, range_from, range_until, n)
       left join webhook_endpoint e using (endpoint_id)
       left join webhook_progress p using (endpoint_id)
      cross join lateral (select * from event_transactions(r.range_from, r.range_until) offset 0) x
      cross join lateral (
        select f.*, sum(case when f.is_wanted then coalesce(cardinality(f.message_ids), 1) end)
                      over (order by f.xid, f.batch_id rows between unbounded preceding and 1 preceding) as before
          from (select b.*, b.type = any(e.events)
                            and (r.range_from is not null or ${hasHappenedSince('p.since')}) as is_wanted
                  from event_batch b
                 where b.account_id = r.account_id
                   and (b.xid, b.batch_id)
                       > (greatest(r.xid, x.low), case when x.low > r.xid then 0 else r.batch_id end)
                   and b.xid <= coalesce(x.high, ${XID_MAX}) and b.xid < pg_snapshot_xmin(pg_current_snapshot())
                   -- Conditions for the index: with an "or" each event outside of the range would be read.
                   and b.batch_id >= coalesce(r.range_from, 0) and b.batch_id < coalesce(r.range_until, ${ID_MAX})
                 order by b.xid, b.batch_id limit $7) f) b
      where coalesce(b.before, 0) < $8
      order by r.n, b.xid, b.batch_id`,
    [
      reads.map(({ endpointId }) => endpointId),
      reads.map(({ accountId }) => accountId),
      reads.map(({ after }) => after.xid),
      reads.map(({ after }) => after.batchId),
      reads.map(({ range }) => range?.from ?? null),
      reads.map(({ range }) => range?.until ?? null),
      limit.batches,
      limit.events,
    ],
  );
  const found = reads.map((): EventBatch[] => []);
  for (const row of rows) found[row.n - 1]?.push(batchOf(row));
  return found;
}

/** One batch by its id, whatever its type. */
export async function findEvents(database: Queryable, batchId: string): Promise<EventBatch | undefined> {
  const [row] = await database.query<BatchRow>(
    `select ${COLUMNS}, true as is_wanted, b.message_ids from event_batch b
      where b.slot = event_slot($1) and b.batch_id = $1`,
    [batchId],
  );
  return row && batchOf(row);
}

/** By id. A message that retention has dropped is not there. */
export async function eventMessages(
  database: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EventMessage>> {
  if (ids.length === 0) return new Map();
  const rows = await database.query<{
    id: string;
    reference: string | null;
    tag: string | null;
    segments: number;
    amount: string;
    currency: string;
  }>(
    `select o.id, l.reference, l.tag, o.segments, o.amount, a.currency
       from message_order o join account a using (account_id)
       left join order_label l on l.account_id = o.account_id and l.sequence = o.sequence
      where o.id = any($1)`,
    [ids],
  );
  return new Map(
    rows.map((row) => [
      row.id,
      { ...row, reference: row.reference ?? undefined, tag: row.tag ?? undefined, amount: BigInt(row.amount) },
    ]),
  );
}

/** An event that is sent again. */
export interface WebhookRetry extends EventPlace {
  readonly kind: AttemptKind;
  /** The attempts that were made. */
  readonly attempts: number;
}

/**
 * Tests and replays first, then those that are due the longest. `now` undefined: whether they are due or not.
 *
 * @param isAskedForOnly only tests and replays
 */
export function dueRetries(
  database: Queryable,
  endpointId: string,
  now: Date | undefined,
  limit: number,
  isAskedForOnly = false,
): Promise<WebhookRetry[]> {
  return database.query<WebhookRetry>(
    `select batch_id as "batchId", index, kind, attempts from webhook_retry
      where endpoint_id = $1 and due_at <= coalesce($2::timestamptz, 'infinity') and (kind <> 'event' or not $4)
      order by kind = 'event', kind <> 'test', due_at limit $3`,
    [endpointId, now ?? null, limit, isAskedForOnly],
  );
}

/** Events of a time that are sent again, and how far that is. */
export interface WebhookReplay {
  readonly replayId: string;
  readonly range: { readonly from: string; readonly until: string };
  readonly cursor: EventCursor;
}

/** The oldest replay of an endpoint; undefined: there is none. */
export async function nextReplay(database: Queryable, endpointId: string): Promise<WebhookReplay | undefined> {
  const [row] = await database.query<Record<string, string> & { cursor_index: number }>(
    'select * from webhook_replay where endpoint_id = $1 order by replay_id limit 1',
    [endpointId],
  );
  return (
    row && {
      replayId: row.replay_id ?? '',
      range: { from: row.from_batch ?? '', until: row.until_batch ?? '' },
      cursor: { xid: row.cursor_xid ?? '0', batchId: row.cursor_batch ?? '0', index: row.cursor_index },
    }
  );
}

function batchOf(row: BatchRow): EventBatch {
  return {
    xid: row.xid,
    batchId: row.batch_id,
    type: row.type,
    at: row.at,
    isWanted: row.is_wanted ?? false,
    messageIds: row.message_ids ?? [],
    codes: row.codes ?? undefined,
    data: row.data ?? undefined,
  };
}
