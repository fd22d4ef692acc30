import type { Queryable } from '../database/database.js';

/** What waits, for whoever asks whether the service is well. Test messages are neither old nor queued here. */
export interface OpenWork {
  /** Age of the oldest message that a worker may claim now and none has claimed; no hold keeps it back. */
  readonly oldestQueuedSeconds: number | undefined;
  readonly queued: number;
  /** Messages that are due for more than a minute: the reconciler does not run. */
  readonly overdue: number;
  /** Segments of which it is not known whether the carrier has them. */
  readonly inDoubt: number;
  /** Receipts for messages that are not known. */
  readonly unmatchedReceipts: number;
}

/** Counts stop here, so that the question stays cheap however much waits. */
export const OPEN_WORK_COUNT_MAX = 100_000;

const OVERDUE_SECONDS = 60;

export async function readOpenWork(database: Queryable): Promise<OpenWork> {
  const [row] = await database.query<{
    oldest_queued_seconds: number | null;
    queued: number;
    overdue: number;
    in_doubt: number;
    unmatched: number;
  }>(
    `select (select extract(epoch from now() - min(o.since))::float8 from (
               select sendable_since(o) as since from message_order o, active_hold() h
                where o.due_at is not null and o.account_id > 0
                  and may_be_claimed(o, h.hold_id, h.held_before, h.held_accounts)
                order by o.due_at limit $1) o) as oldest_queued_seconds,
            (select count(*)::integer from (
               select from message_order
                where due_at is not null and state = 'queued' and account_id > 0 limit $1) q) as queued,
            (select count(*)::integer from (
               select from message_order where due_at < now() - make_interval(secs => $2) limit $1) d) as overdue,
            (select count(*)::integer from (
               select from segment where in_doubt_since is not null and state = 'in_doubt' limit $1) i) as in_doubt,
            (select count(*)::integer from (select from parked_receipt limit $1) p) as unmatched`,
    [OPEN_WORK_COUNT_MAX, OVERDUE_SECONDS],
  );
  return {
    oldestQueuedSeconds: row?.oldest_queued_seconds ?? undefined,
    queued: row?.queued ?? 0,
    overdue: row?.overdue ?? 0,
    inDoubt: row?.in_doubt ?? 0,
    unmatchedReceipts: row?.unmatched ?? 0,
  };
}

/** Rows of backlogs that are looked at, however many wait: a batch is one row. */
const BACKLOG_ROWS_MAX = 10_000;
/** Messages of a row that are looked at: the first ones may have been canceled. */
const ROW_ORDERS_MAX = 100;

/**
 * Age of the oldest message in the backlogs that may be sent, in seconds: single messages are interactive, batches are
 * bulk. 0: none waits. Test messages and what a hold keeps back do not count.
 */
export async function oldestWaiting(
  database: Queryable,
): Promise<{ readonly interactive: number; readonly bulk: number }> {
  const rows = await database.query<{ lane: number; seconds: number }>(
    `select b.lane, extract(epoch from now() - min(o.since))::float8 as seconds
       from (select account_id, lane, first_sequence, last_sequence from dispatch_backlog
              where account_id > 0 order by account_id, backlog_id limit $1) b
      cross join lateral (
        select sendable_since(o) as since from message_order o, active_hold() h
         where o.account_id = b.account_id
           and o.sequence between b.first_sequence and least(b.last_sequence, b.first_sequence + $2 - 1)
           and may_be_claimed(o, h.hold_id, h.held_before, h.held_accounts)
         order by o.sequence limit 1) o
      group by b.lane`,
    [BACKLOG_ROWS_MAX, ROW_ORDERS_MAX],
  );
  const ofLane = (lane: number) => rows.find((row) => row.lane === lane)?.seconds ?? 0;
  return { interactive: ofLane(0), bulk: ofLane(1) };
}
