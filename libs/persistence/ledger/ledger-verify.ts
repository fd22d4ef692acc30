import type { Database, Queryable } from '../database/database.js';
import { readSql } from '../schema/read-sql.js';

/** One invariant, recomputed. */
interface LedgerCheck {
  readonly name: string;
  /** What must hold. */
  readonly meaning: string;
  /** How many rows break it; it should be 0. */
  readonly offenders: number;
  /** A few of them. */
  readonly examples: readonly LedgerOffender[];
}

interface LedgerOffender {
  readonly accountId: string | undefined;
  readonly subject: string;
  readonly detail: string;
}

export interface LedgerReport {
  /** No check has an offender. */
  readonly isClean: boolean;
  readonly checks: readonly LedgerCheck[];
  /** Without sandboxes, as the next two. */
  readonly accounts: bigint;
  readonly messages: bigint;
  readonly journalEntries: bigint;
  /** The checks hold for sandboxes as well. */
  readonly sandboxes: bigint;
  /** The moment of the snapshot that all checks read. */
  readonly snapshotAt: Date;
}

/**
 * The statement timeout of a database for `verifyLedger`: a check over millions of rows takes longer than other
 * statements.
 */
export const VERIFY_STATEMENT_TIMEOUT_MS = 600_000;

const EXAMPLES_MAX = 5;
/** Sorts and hashes of millions of rows stay in memory; one connection only. */
const WORK_MEMORY = '64MB';

/**
 * Recomputes every invariant of the ledger, in one snapshot, without blocking anybody.
 *
 * @param database opened with `VERIFY_STATEMENT_TIMEOUT_MS` if there are many messages, unless `withinMs` is given
 * @param withinMs ends it after this time, and keeps it to one processor of the database
 * @throws when it takes longer
 */
export function verifyLedger(database: Database, withinMs?: number): Promise<LedgerReport> {
  return database.transaction(async (transaction) => {
    await transaction.query('set transaction isolation level repeatable read, read only');
    await transaction.query(`set local work_mem = '${WORK_MEMORY}'`);
    const keepTime = withinMs === undefined ? undefined : await timeLimit(transaction, withinMs);
    const [counts] = await transaction.query<{
      at: Date;
      accounts: string;
      messages: string;
      entries: string;
      sandboxes: string;
    }>(
      `select now() as at, (select count(*) from account where account_id > 0) as accounts,
              (select count(*) from message_order where account_id > 0) as messages,
              (select count(*) from journal_entry where account_id > 0) as entries,
              (select count(*) from account where account_id < 0) as sandboxes`,
    );
    const checks: LedgerCheck[] = [];
    for (const check of readChecks()) {
      await keepTime?.();
      checks.push(await runCheck(transaction, check));
    }
    return {
      isClean: checks.every((check) => check.offenders === 0),
      checks,
      accounts: BigInt(counts?.accounts ?? 0),
      messages: BigInt(counts?.messages ?? 0),
      journalEntries: BigInt(counts?.entries ?? 0),
      sandboxes: BigInt(counts?.sandboxes ?? 0),
      snapshotAt: counts?.at ?? new Date(),
    };
  });
}

/** @returns sets the statement timeout to what is left; to be called before each statement */
async function timeLimit(transaction: Queryable, withinMs: number): Promise<() => Promise<void>> {
  const endMs = performance.now() + withinMs;
  await transaction.query('set local max_parallel_workers_per_gather = 0');
  const keepTime = async () => {
    const leftMs = Math.max(1, Math.round(endMs - performance.now()));
    await transaction.query(`set local statement_timeout = ${leftMs}`);
  };
  await keepTime();
  return keepTime;
}

interface Check {
  readonly name: string;
  readonly meaning: string;
  readonly sql: string;
}

const FILES = [
  'ledger/verify-balances.sql',
  'ledger/verify-entries.sql',
  'ledger/verify-orders.sql',
  'ledger/verify-usage.sql',
  'ledger/verify-sandboxes.sql',
];

/** The statements of the files: each begins with a line `-- check NAME: MEANING` and ends with a semicolon. */
function readChecks(): Check[] {
  return FILES.flatMap((file) =>
    readSql(file)
      .split(/^-- check /m)
      .slice(1),
  ).map((section) => {
    const [, name = '', meaning = '', sql = ''] = /^(\w+): (.*)\n([\s\S]*);\s*$/.exec(section) ?? [];
    return { name, meaning, sql };
  });
}

async function runCheck(transaction: Queryable, { name, meaning, sql }: Check): Promise<LedgerCheck> {
  const rows = await transaction.query<{ account_id: string | null; subject: string; detail: string; n: string }>(
    `select account_id, subject, detail, count(*) over () as n from (${sql}) offender
      order by account_id, subject limit ${EXAMPLES_MAX}`,
  );
  return {
    name,
    meaning,
    offenders: Number(rows[0]?.n ?? 0),
    examples: rows.map((row) => ({
      accountId: row.account_id ?? undefined,
      subject: row.subject,
      detail: row.detail,
    })),
  };
}
