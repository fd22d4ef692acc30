import type { Database, Queryable } from '../database/database.js';
import { type LedgerReport, verifyLedger } from './ledger-verify.js';

/** What the last verification of the ledger that ended has found. */
export interface LedgerVerification {
  /** The moment of the snapshot that it read. */
  readonly snapshotAt: Date;
  readonly tookSeconds: number;
  /** How many rows break each check, by its name; 0 where it holds. */
  readonly offenders: Readonly<Record<string, number>>;
}

/**
 * Verifies the ledger if nobody has begun to for so long. Of several processes one does it; if that one dies, the next
 * one is due after the same time.
 *
 * @param connect opens a connection whose statements may take `withinMs`; it is closed afterwards
 * @param withinMs less than `everySeconds`, so that one ends before the next one begins
 * @returns undefined if it is not due
 * @throws when it takes longer than `withinMs`; then the result of the last one stays
 */
export async function verifyLedgerIfDue(
  database: Queryable,
  connect: () => Promise<Database>,
  everySeconds: number,
  withinMs: number,
): Promise<LedgerReport | undefined> {
  const [turn] = await database.query(
    `insert into ledger_verification as v (begun_at) values (now())
     on conflict (is_only) do update set begun_at = now() where v.begun_at <= now() - make_interval(secs => $1)
     returning true`,
    [everySeconds],
  );
  if (turn === undefined) return undefined;
  const connection = await connect();
  try {
    const startMs = performance.now();
    const report = await verifyLedger(connection, withinMs);
    await recordVerification(database, report, (performance.now() - startMs) / 1_000);
    return report;
  } finally {
    await connection.close();
  }
}

/** Stores what a verification has found, unless a later one is stored. */
export async function recordVerification(
  database: Queryable,
  { snapshotAt, checks }: LedgerReport,
  tookSeconds: number,
): Promise<void> {
  const offenders = Object.fromEntries(checks.map((check) => [check.name, check.offenders]));
  await database.query(
    `insert into ledger_verification as v (begun_at, snapshot_at, took_seconds, offenders) values ($1, $1, $2, $3)
     on conflict (is_only) do update
        set snapshot_at = excluded.snapshot_at, took_seconds = excluded.took_seconds, offenders = excluded.offenders
      where v.snapshot_at is null or v.snapshot_at < excluded.snapshot_at`,
    [snapshotAt, tookSeconds, JSON.stringify(offenders)],
  );
}

/** Undefined: none has ended yet. */
export async function lastVerification(database: Queryable): Promise<LedgerVerification | undefined> {
  const [row] = await database.query<{
    snapshot_at: Date;
    took_seconds: number;
    offenders: Record<string, number>;
  }>('select snapshot_at, took_seconds, offenders from ledger_verification where snapshot_at is not null');
  return row && { snapshotAt: row.snapshot_at, tookSeconds: row.took_seconds, offenders: row.offenders };
}
