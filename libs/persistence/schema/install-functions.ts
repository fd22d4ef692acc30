import { createHash } from 'node:crypto';
import { VERSION } from '#config/light';
import type { StatementRunner } from '../database/statement-source.js';
import { isNewerVersion } from './is-newer-version.js';
import { readSql } from './read-sql.js';

/** The files of functions and triggers. A function in language SQL comes after those that it calls. */
const FUNCTION_FILES: readonly string[] = [
  'operators/operator-changes.sql',
  'operators/live-sessions.sql',
  'recovery/database-identity.sql',
  'recovery/dispatch-hold.sql',
  'dispatch/sandbox.sql',
  'dispatch/schedule.sql',
  'guards/judge-sends.sql',
  'guards/share-velocity.sql',
  'accept/accept-messages.sql',
  'accept/accept-messages-of-0.2.sql',
  'dispatch/backlog.sql',
  'dispatch/dispatch-demand.sql',
  'dispatch/claim-orders.sql',
  'dispatch/claim-orders-of-0.2.sql',
  'dispatch/claim-orders-again.sql',
  'dispatch/record-intents.sql',
  'usage/account-usage.sql',
  'webhooks/write-events.sql',
  'webhooks/look-for-events.sql',
  'webhooks/endpoints.sql',
  'inbound/answered-account.sql',
  'inbound/store-inbound.sql',
  'webhooks/complete-batches.sql',
  'guards/give-back-spend.sql',
  'dispatch/move-orders.sql',
  'dispatch/note-exceptions.sql',
  'dispatch/derive-order-states.sql',
  'dispatch/record-submits.sql',
  'dispatch/record-other-submits.sql',
  'dispatch/fail-unroutable.sql',
  'dispatch/cancel-orders.sql',
  'receipts/match-by-reference.sql',
  'receipts/believe-notices.sql',
  'receipts/settle-receipts.sql',
  'receipts/settle-other-receipts.sql',
  'receipts/store-unmatched.sql',
  'receipts/rematch-receipts.sql',
  'recovery/reconcile-orders.sql',
  'carriers/lease-binds.sql',
  'tariffs/tariff-rates.sql',
  'books/margin.sql',
  'books/reconcile.sql',
  'accounts/find-orders.sql',
  'ledger/ledger-pages.sql',
  'ledger/monthly-statement.sql',
  'retention/redact.sql',
  'retention/retain-orders.sql',
  'retention/purge-expired.sql',
  'overview/traffic.sql',
];

interface InstalledFile {
  readonly path: string;
  readonly checksum: string;
  readonly functions: readonly string[];
  readonly version: string;
}

/**
 * Runs each file whose text differs from the one that the database has. Must run in one transaction, under the lock of
 * the migrations: other sessions see all old functions or all new ones.
 *
 * A function that no file defines any more stays until the next version is installed, because processes of the version
 * before call it. So a function with other arguments needs nothing; one with another result needs another name, or a
 * `drop function if exists` before it in its file.
 *
 * @returns whether a function has changed
 */
export async function installFunctions(transaction: StatementRunner): Promise<boolean> {
  const installed = await installedFiles(transaction);
  // An older program must not take the functions of a newer one away.
  if (installed.some(({ version }) => isNewerVersion(version, VERSION))) return false;
  const defined = new Set<string>();
  let hasChanged = false;
  for (const path of FUNCTION_FILES) {
    const text = readSql(path);
    const before = installed.find((file) => file.path === path);
    let functions = before?.functions ?? [];
    if (before?.checksum !== checksumOf(text)) {
      functions = await installFile(transaction, path, text);
      hasChanged = true;
    }
    for (const signature of functions) defined.add(signature);
  }
  const gone = installed.flatMap(({ functions }) => functions).filter((signature) => !defined.has(signature));
  await transaction.query('delete from function_file where path <> all($1)', [FUNCTION_FILES]);
  await retire(transaction, gone, [...defined]);
  return hasChanged || gone.length > 0;
}

/** Whether the database has the functions of this program, or those of a newer one. */
export async function hasCurrentFunctions(database: StatementRunner): Promise<boolean> {
  const installed = await installedFiles(database);
  if (installed.some(({ version }) => isNewerVersion(version, VERSION))) return true;
  const checksums = new Map(installed.map(({ path, checksum }) => [path, checksum]));
  return FUNCTION_FILES.every((path) => checksums.get(path) === checksumOf(readSql(path)));
}

async function installedFiles(database: StatementRunner): Promise<InstalledFile[]> {
  return (await database.query('select path, checksum, functions, version from function_file')) as InstalledFile[];
}

/** @returns the functions that the file defines */
async function installFile(transaction: StatementRunner, path: string, text: string): Promise<string[]> {
  const before = await functionRows(transaction);
  await transaction.query(text);
  const unchanged = new Set(before.map(({ row }) => row));
  const functions = (await functionRows(transaction)).filter(({ row }) => !unchanged.has(row));
  const signatures = functions.map(({ signature }) => signature);
  await transaction.query(
    `insert into function_file (path, checksum, functions, version) values ($1, $2, $3, $4)
     on conflict (path) do update set checksum = $2, functions = $3, version = $4, installed_at = now()`,
    [path, checksumOf(text), signatures, VERSION],
  );
  return signatures;
}

/** Every function of the schema; `row` changes whenever one is replaced. */
async function functionRows(transaction: StatementRunner): Promise<{ signature: string; row: string }[]> {
  return (await transaction.query(
    `select oid::regprocedure::text as signature, concat_ws(' ', oid, xmin) as row
       from pg_proc where pronamespace = current_schema()::regnamespace order by 1`,
  )) as { signature: string; row: string }[];
}

/** Remembers what no file defines any more, and drops what the previous version has not defined either. */
async function retire(
  transaction: StatementRunner,
  gone: readonly string[],
  defined: readonly string[],
): Promise<void> {
  await transaction.query('delete from retired_function where signature = any($1)', [defined]);
  await transaction.query(
    'insert into retired_function (signature, retired_in) select unnest($1::text[]), $2 on conflict do nothing',
    [gone, VERSION],
  );
  const due = (await transaction.query('select signature from retired_function where retired_in <> $1', [VERSION])) as {
    signature: string;
  }[];
  for (const { signature } of due) await transaction.query(`drop function if exists ${signature}`);
  await transaction.query('delete from retired_function where retired_in <> $1', [VERSION]);
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
