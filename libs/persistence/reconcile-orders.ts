import type { Queryable } from './database.js';
import { ALIVE_WITHIN_SECONDS } from './heartbeat.js';

export interface SweepSettings {
  readonly limit: number;
  readonly sweepAfterSeconds: number;
  readonly inDoubtWaitSeconds: number;
  readonly receiptDeadlineSeconds: number;
}

/** Calls in a row; what is due beyond them waits for the next sweep. */
const SWEEP_CALLS_MAX = 50;

/**
 * Keeps every deadline that has come, in small transactions; returns the orders to be put on the queue (again), each once.
 *
 * @param queueIsEmpty the queue holds nothing, so every queued order is stranded
 */
export async function sweepOrders(
  database: Queryable,
  queueIsEmpty: boolean,
  settings: SweepSettings,
): Promise<string[]> {
  const offered = new Set<string>();
  for (let call = 0; call < SWEEP_CALLS_MAX; call += 1) {
    const [row] = await database.query<{ due_count: number; offered: string[] }>(
      `select * from sweep_orders($1, make_interval(secs => $2), make_interval(secs => $3), make_interval(secs => $4), $5)`,
      [
        settings.limit,
        settings.sweepAfterSeconds,
        settings.inDoubtWaitSeconds,
        settings.receiptDeadlineSeconds,
        queueIsEmpty,
      ],
    );
    if (row === undefined) break;
    const before = offered.size;
    for (const id of row.offered) offered.add(id);
    // A stranded order stays stranded until it is claimed, so the calls go round: once is enough.
    if (row.due_count < settings.limit && offered.size === before) break;
    if (row.due_count < settings.limit && row.offered.length < settings.limit) break;
  }
  return [...offered];
}

/** Has the sweeper look at once at what workers that stopped reporting had claimed; returns how many orders. */
export async function releaseDeadWorkers(database: Queryable): Promise<number> {
  const [row] = await database.query<{ released: number }>(
    'select release_dead_workers(make_interval(secs => $1)) as released',
    [ALIVE_WITHIN_SECONDS],
  );
  return row?.released ?? 0;
}

/** By then the response that would name a receipt's message has come, if it ever does. */
const REFERENCE_AFTER_SECONDS = 3;
const REMATCH_LIMIT = 1_000;
/** Calls in a row; what is left then has to wait for the next look. */
const REMATCH_CALLS_MAX = 50;

/** Applies parked receipts whose message is known by now; returns how many. */
export async function rematchReceipts(
  database: Queryable,
  receivedWithinSeconds: number,
  inDoubtWaitSeconds: number,
  referenceAfterSeconds = REFERENCE_AFTER_SECONDS,
): Promise<number> {
  let matched = 0;
  for (let call = 0; call < REMATCH_CALLS_MAX; call += 1) {
    const [row] = await database.query<{ matched: number }>(
      `select rematch_receipts(now() - make_interval(secs => $1), make_interval(secs => $2), $3, make_interval(secs => $4))
         as matched`,
      [receivedWithinSeconds, referenceAfterSeconds, REMATCH_LIMIT, inDoubtWaitSeconds],
    );
    if (row === undefined || row.matched === 0) break;
    matched += row.matched;
  }
  return matched;
}

/** Deletes what its time is over for, a slice at a call. */
export async function purgeExpired(database: Queryable, idempotencyKeyHours: number): Promise<number> {
  const rows = await database.query<{ deleted: number }>(
    'select purge_expired(make_interval(hours => $1), 5000) as deleted',
    [idempotencyKeyHours],
  );
  return rows[0]?.deleted ?? 0;
}
