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
/** Rows of backlogs that are looked at, however many wait: a batch is one row. */
const BACKLOG_ROWS_MAX = 10_000;
/** Messages of a row that are looked at: the first ones may have been canceled. */
const ROW_ORDERS_MAX = 100;

/** The oldest message of each row of the backlogs that may be sent: its lane, and since when it may be. */
const OLDEST_OF_BACKLOGS = `
  select b.lane, o.since
    from active_hold() h
   cross join (select account_id, lane, first_sequence, last_sequence from dispatch_backlog
                where account_id > 0 order by account_id, backlog_id limit ${BACKLOG_ROWS_MAX}) b
   cross join lateral (
     select sendable_since(o) as since from message_order o
      where o.account_id = b.account_id
        and o.sequence between b.first_sequence and least(b.last_sequence, b.first_sequence + ${ROW_ORDERS_MAX} - 1)
        and may_be_claimed(o, h.hold_id, h.held_before, h.held_accounts)
      order by o.sequence limit 1) o`;

/** How many messages the rows of the backlogs point at; some of them may be over already. */
const MESSAGES_OF_BACKLOGS = `
  select coalesce(sum(coalesce(cardinality(sequences), last_sequence - first_sequence + 1)), 0)
    from dispatch_backlog where account_id > 0`;

/**
 * It walks along the messages that are due first, and not along those that are queued: messages that wait for receipts
 * are due as well, and may be millions. What is on a queue is due before them. The rows of the backlogs tell of what
 * waits beyond them.
 */
const OPEN_WORK = `
  with due as materialized (
    select count(*) as looked, count(*) filter (where d.due_at < now() - make_interval(secs => $2)) as overdue,
           coalesce(array_agg(d.id) filter (where d.state = 'queued' and d.account_id > 0), '{}') as queued
      from (select id, state, account_id, due_at from message_order where due_at is not null order by due_at limit $1) d
  )
  select (select extract(epoch from now() - min(w.since))::float8
            from (select o.since
                    from due cross join unnest(due.queued) as q(id) cross join active_hold() h
                   cross join lateral (
                     select sendable_since(m) as since from message_order m
                      where m.id = q.id and may_be_claimed(m, h.hold_id, h.held_before, h.held_accounts) offset 0) o
                   union all
                  select w.since from (${OLDEST_OF_BACKLOGS}) w) w) as oldest_queued_seconds,
         (select case when due.looked < $1 then cardinality(due.queued)
                      else least($1, greatest(cardinality(due.queued), (${MESSAGES_OF_BACKLOGS}))) end
            from due)::integer as queued,
         (select due.overdue::integer from due) as overdue,
         (select count(*)::integer from (
            select from segment where in_doubt_since is not null and state = 'in_doubt' limit $1) i) as in_doubt,
         (select count(*)::integer from (select from parked_receipt limit $1) p) as unmatched`;

/** @param limit so many messages are looked at and counted */
export async function readOpenWork(database: Queryable, limit = OPEN_WORK_COUNT_MAX): Promise<OpenWork> {
  const [row] = await database.query<{
    oldest_queued_seconds: number | null;
    queued: number;
    overdue: number;
    in_doubt: number;
    unmatched: number;
  }>(OPEN_WORK, [limit, OVERDUE_SECONDS]);
  return {
    oldestQueuedSeconds: row?.oldest_queued_seconds ?? undefined,
    queued: row?.queued ?? 0,
    overdue: row?.overdue ?? 0,
    inDoubt: row?.in_doubt ?? 0,
    unmatchedReceipts: row?.unmatched ?? 0,
  };
}

/**
 * Age of the oldest message in the backlogs that may be sent, in seconds: single messages are interactive, batches are
 * bulk. 0: none waits. Test messages and what a hold keeps back do not count.
 */
export async function oldestWaiting(
  database: Queryable,
): Promise<{ readonly interactive: number; readonly bulk: number }> {
  const rows = await database.query<{ lane: number; seconds: number }>(
    `select lane, extract(epoch from now() - min(since))::float8 as seconds from (${OLDEST_OF_BACKLOGS}) w group by lane`,
  );
  const ofLane = (lane: number) => rows.find((row) => row.lane === lane)?.seconds ?? 0;
  return { interactive: ofLane(0), bulk: ofLane(1) };
}
