import type { Queryable } from '../database/database.js';
import { ALIVE_WITHIN_SECONDS } from '../database/heartbeat.js';

export interface SweepSettings {
  readonly limit: number;
  readonly sweepAfterSeconds: number;
  readonly inDoubtWaitSeconds: number;
  readonly receiptDeadlineSeconds: number;
}

/** Calls in a row; what is due beyond them waits for the next sweep. */
const SWEEP_CALLS_MAX = 50;

/** An order to be put on the queue (again). */
export interface OfferedOrder {
  readonly id: string;
  readonly accountId: string;
}

export interface Sweep {
  readonly offered: readonly OfferedOrder[];
  /** Where the walk over what may be stranded has to go on; undefined: it is over. */
  readonly walk: StrandedWalk | undefined;
  /** How far a walk has looked that is over now. */
  readonly walkedTo: string | undefined;
}

/** A walk over what may be stranded, from the last due to the first. */
export interface StrandedWalk {
  readonly before: string;
  /** What was due until then was looked at by a walk before. */
  readonly after: string;
  /** What may be left out by the next walk; known after the first call. */
  readonly walkedTo?: string;
}

/** @param walkedTo by the last walk; undefined: all that may be stranded is looked at */
export function beginWalk(walkedTo: string | undefined): StrandedWalk {
  return { before: 'infinity', after: walkedTo ?? '-infinity' };
}

/**
 * Keeps every deadline that has come, in small transactions.
 *
 * @param walk the queue holds nothing, so what waits and no backlog points at is stranded: a walk over it to go on with
 */
export async function sweepOrders(
  database: Queryable,
  walk: StrandedWalk | undefined,
  settings: SweepSettings,
): Promise<Sweep> {
  const offered: OfferedOrder[] = [];
  let rest = walk;
  let walkedTo: string | undefined;
  for (let call = 0; call < SWEEP_CALLS_MAX; call += 1) {
    const [row] = await database.query<SweepRow>(
      `select due_count, offered, offered_accounts, stranded_from::text as stranded_from, walked_to::text as walked_to
         from sweep_orders($1, make_interval(secs => $2), make_interval(secs => $3), make_interval(secs => $4), $5,
                           coalesce($6::timestamptz, 'infinity'), coalesce($7::timestamptz, '-infinity'))`,
      [
        settings.limit,
        settings.sweepAfterSeconds,
        settings.inDoubtWaitSeconds,
        settings.receiptDeadlineSeconds,
        rest !== undefined,
        rest?.before ?? null,
        rest?.after ?? null,
      ],
    );
    if (row === undefined) break;
    for (const [index, id] of row.offered.entries()) {
      offered.push({ id, accountId: row.offered_accounts[index] ?? '' });
    }
    if (rest !== undefined) {
      const goesTo = rest.walkedTo ?? row.walked_to;
      if (row.stranded_from === null) walkedTo = goesTo;
      rest = row.stranded_from === null ? undefined : { ...rest, before: row.stranded_from, walkedTo: goesTo };
    }
    if (row.due_count < settings.limit && rest === undefined) break;
  }
  return { offered, walk: rest, walkedTo };
}

interface SweepRow {
  readonly due_count: number;
  readonly offered: readonly string[];
  readonly offered_accounts: readonly string[];
  readonly stranded_from: string | null;
  readonly walked_to: string;
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

/** Matches unmatched receipts again whose message is known now; returns how many matched. */
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

/** Of each kind in one call. */
const PURGE_LIMIT = 5_000;

/** Deletes what its time is over for, a slice at a call; returns whether there may be more. */
export async function purgeExpired(
  database: Queryable,
  idempotencyKeyHours: number,
  limit = PURGE_LIMIT,
): Promise<boolean> {
  const rows = await database.query<{ deleted: number }>(
    'select purge_expired(make_interval(hours => $1), $2) as deleted',
    [idempotencyKeyHours, limit],
  );
  return (rows[0]?.deleted ?? 0) >= limit;
}
