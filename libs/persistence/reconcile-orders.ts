import type { Queryable } from './database.js';

export interface SweepSettings {
  readonly limit: number;
  readonly sweepAfterSeconds: number;
  readonly inDoubtWaitSeconds: number;
  readonly receiptDeadlineSeconds: number;
}

/** Keeps every deadline that has come; returns the orders to be put on the queue (again). */
export async function sweepOrders(
  database: Queryable,
  queueIsEmpty: boolean,
  settings: SweepSettings,
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `select * from sweep_orders($1, make_interval(secs => $2), make_interval(secs => $3), make_interval(secs => $4), $5)`,
    [
      settings.limit,
      settings.sweepAfterSeconds,
      settings.inDoubtWaitSeconds,
      settings.receiptDeadlineSeconds,
      queueIsEmpty,
    ],
  );
  return rows.map((row) => row.id);
}

const REMATCH_LIMIT = 1_000;
/** Calls in a row; what is left then has to wait for the next look. */
const REMATCH_CALLS_MAX = 50;

/** Applies parked receipts whose message is known by now; returns how many. */
export async function rematchReceipts(
  database: Queryable,
  receivedWithinSeconds: number,
  inDoubtWaitSeconds: number,
): Promise<number> {
  let matched = 0;
  for (let call = 0; call < REMATCH_CALLS_MAX; call += 1) {
    const [row] = await database.query<{ matched: number }>(
      'select rematch_receipts(now() - make_interval(secs => $1), $2, make_interval(secs => $3)) as matched',
      [receivedWithinSeconds, REMATCH_LIMIT, inDoubtWaitSeconds],
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
