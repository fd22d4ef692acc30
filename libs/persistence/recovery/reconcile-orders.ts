import type { Queryable } from '../database/database.js';
import { ALIVE_WITHIN_SECONDS } from '../database/heartbeat.js';

export interface Deadlines {
  readonly inDoubtWaitSeconds: number;
  readonly receiptDeadlineSeconds: number;
}

/** Orders in one transaction: it locks them, and dispatch must not wait for it. */
const LIMIT = 200;
/** Calls in a row; orders that are due beyond them wait for the next time. */
const CALLS_MAX = 50;

/** Acts on every deadline that has come, in small transactions; returns how many orders it put into backlogs. */
export async function reconcileOrders(database: Queryable, deadlines: Deadlines, limit = LIMIT): Promise<number> {
  let requeued = 0;
  for (let call = 0; call < CALLS_MAX; call += 1) {
    const [row] = await database.query<{ due_count: number; requeued: number }>(
      'select * from reconcile_orders($1, make_interval(secs => $2), make_interval(secs => $3))',
      [limit, deadlines.inDoubtWaitSeconds, deadlines.receiptDeadlineSeconds],
    );
    requeued += row?.requeued ?? 0;
    if (row === undefined || row.due_count < limit) break;
  }
  return requeued;
}

/** Orders of all accounts in one transaction. */
const STARTED_ORDERS_MAX = 1_000;
/** Calls in a row: half a second. */
const START_CALLS_MAX = 20;

/**
 * Queues the scheduled orders whose time has come, the accounts in turn.
 *
 * @param after the account with which the call before has ended; undefined: begin with the first one
 */
export async function startScheduled(
  database: Queryable,
  after: string | undefined,
  limit = STARTED_ORDERS_MAX,
): Promise<{ readonly started: number; readonly after: string | undefined }> {
  let last = after;
  let started = 0;
  for (let call = 0; call < START_CALLS_MAX; call += 1) {
    const [row] = await database.query<{ started: number; account_id: string | null; is_over: boolean }>(
      'select * from start_scheduled($1, $2)',
      [last ?? null, limit],
    );
    if (row === undefined || row.is_over) break;
    started += row.started;
    last = row.account_id ?? undefined;
  }
  return { started, after: last };
}

const REQUEUE_LIMIT = 5_000;

/**
 * Makes everything due at once that is on a queue, because the queues have lost their jobs.
 *
 * @param withinSeconds how soon what is on a queue is due
 */
export async function requeueAll(database: Queryable, withinSeconds: number): Promise<void> {
  for (;;) {
    const [row] = await database.query<{ requeued: number }>(
      'select requeue_all(make_interval(secs => $1), $2) as requeued',
      [withinSeconds, REQUEUE_LIMIT],
    );
    if ((row?.requeued ?? 0) < REQUEUE_LIMIT) return;
  }
}

/**
 * Makes due at once what workers that stopped reporting had claimed; returns how many orders.
 *
 * @param leaseSeconds for how long workers claim
 */
export async function releaseDeadWorkers(database: Queryable, leaseSeconds: number): Promise<number> {
  const [row] = await database.query<{ released: number }>(
    'select release_dead_workers(make_interval(secs => $1), make_interval(secs => $2)) as released',
    [ALIVE_WITHIN_SECONDS, leaseSeconds],
  );
  return row?.released ?? 0;
}
