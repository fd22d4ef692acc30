import type { Micros } from '#billing';
import type { Queryable } from '../database/database.js';
import { type EventCursor, SERVER_START } from './lease-endpoints.js';
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

/** Where an endpoint's readers are. */
export interface EventWatch {
  readonly endpointId: string;
  readonly accountId: string;
  /** Where its next read begins. */
  readonly position: EventCursor;
  /** That its place was read from, `SERVER_START`. */
  readonly server: string;
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

/** @param isWanted a condition in SQL */
const columns = (isWanted: string) => `b.xid, b.batch_id, b.type, event_time(b.batch_id) as at, b.data, b.codes,
  ${isWanted} as is_wanted, case when ${isWanted} then b.message_ids end as message_ids`;

/** Of the types of endpoint $1; not what had happened when it began, unless a time is asked for ($6). */
const WANTED = `b.type = any((select e.events from webhook_endpoint e where e.endpoint_id = $1)::text[])
    and ($6::bigint is not null or ${hasHappenedSince('(select p.since from webhook_progress p where p.endpoint_id = $1)')})`;

/** @param since the snapshot of an endpoint, in SQL */
export function hasHappenedSince(since: string): string {
  return `coalesce(not pg_visible_in_snapshot(b.xid, ${since}), true)`;
}

/**
 * The batches of an account after a cursor, in the order in which their transactions were begun. Those of transactions
 * that began after one that still runs come later, so that none is passed over.
 *
 * Which types the endpoint wants is read in the same statement: an event that happens after its owner has asked for a
 * type is not passed over, even if the process that delivers has not heard of that yet.
 *
 * @param range only batches with these ids
 */
export async function readEvents(
  database: Queryable,
  {
    endpointId,
    accountId,
    after,
    range,
    limit,
  }: {
    readonly endpointId: string;
    readonly accountId: string;
    readonly after: EventCursor;
    readonly range?: { readonly from: string; readonly until: string } | undefined;
    readonly limit: number;
  },
): Promise<EventBatch[]> {
  const rows = await database.query<BatchRow>(
    `select ${columns(WANTED)}
       from event_batch b
      where b.account_id = $2 and (b.xid, b.batch_id) > ($3::xid8, $4::bigint)
        and b.xid < pg_snapshot_xmin(pg_current_snapshot())
        and ($6::bigint is null or b.batch_id >= $6 and b.batch_id < $7)
      order by b.xid, b.batch_id limit $5`,
    [endpointId, accountId, after.xid, after.batchId, limit, range?.from ?? null, range?.until ?? null],
  );
  return rows.map(batchOf);
}

/** One batch by its id, whatever its type. */
export async function findEvents(database: Queryable, batchId: string): Promise<EventBatch | undefined> {
  const [row] = await database.query<BatchRow>(
    `select ${columns('true')} from event_batch b
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

/** What there is to do for an endpoint. */
export interface EndpointWork {
  readonly endpointId: string;
  /** New events. */
  readonly hasEvents: boolean;
  /** Events that are due again. */
  readonly hasDue: boolean;
  /**
   * The database may have been restored to an earlier state: its reader's place is of a transaction that has not begun,
   * or the server was started anew and does not have the batch that was read last.
   */
  readonly isLost: boolean;
}

/** Which of the endpoints have something to do. */
export async function endpointsWithWork(
  database: Queryable,
  watches: readonly EventWatch[],
  now: Date,
): Promise<EndpointWork[]> {
  if (watches.length === 0) return [];
  return database.query(
    `select * from (
       select w.endpoint_id as "endpointId",
              exists (select from event_batch b
                       where b.account_id = w.account_id and (b.xid, b.batch_id) > (w.xid, w.batch_id)
                         and b.xid < pg_snapshot_xmin(pg_current_snapshot())) as "hasEvents",
              exists (select from webhook_retry r where r.endpoint_id = w.endpoint_id and r.due_at <= $5)
                or exists (select from webhook_replay y where y.endpoint_id = w.endpoint_id) as "hasDue",
              w.xid >= pg_snapshot_xmax(pg_current_snapshot())
                or w.server <> ${SERVER_START} and not ${hasBatch('w.batch_id')} as "isLost"
         from unnest($1::text[], $2::bigint[], $3::xid8[], $4::bigint[], $6::text[])
              as w(endpoint_id, account_id, xid, batch_id, server)) x
      where x."hasEvents" or x."hasDue" or x."isLost"`,
    [
      watches.map(({ endpointId }) => endpointId),
      watches.map(({ accountId }) => accountId),
      watches.map(({ position }) => position.xid),
      watches.map(({ position }) => position.batchId),
      now,
      watches.map(({ server }) => server),
    ],
  );
}

/**
 * Whether the database has a batch. Then it has all that comes before it, and gives out no number of a transaction
 * before it again.
 */
export function hasBatch(batchId: string): string {
  return `exists (select from event_batch h where h.slot = event_slot(${batchId}) and h.batch_id = ${batchId})`;
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
