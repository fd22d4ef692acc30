import { formatMicros } from '#billing';
import { countLowAccounts, type Database, lastVerification, ledgerTotals } from '#persistence';
import { type ShowFigure, single } from './show-figure.js';

/** The sums of the ledger, the accounts that run low, and what the last verification of the ledger has found. */
export async function showMoney(database: Database, show: ShowFigure): Promise<void> {
  const totals = await ledgerTotals(database);
  show(
    'heliograph_ledger_units',
    'Sums over all accounts, without sandboxes, in units of the currency: deposited, reserved, captured.',
    ['currency', 'bucket'],
    totals.flatMap(({ currency, ...sums }) =>
      Object.entries(sums).map(([bucket, micros]) => [{ currency, bucket }, Number(formatMicros(micros))] as const),
    ),
  );
  const low = await countLowAccounts(database);
  show(
    'heliograph_accounts_low',
    'Active accounts whose balance is below their balance alert, by currency; without currencies that have no alert.',
    ['currency'],
    low.map(({ currency, accounts }) => [{ currency }, accounts]),
  );
  const verified = await lastVerification(database);
  show(
    'heliograph_ledger_check_failures',
    'Rows that break an invariant of the ledger, by check, when the ledger was last verified; should be 0.',
    ['check'],
    Object.entries(verified?.offenders ?? {}).map(([check, offenders]) => [{ check }, offenders]),
  );
  show(
    'heliograph_ledger_verified_timestamp_seconds',
    'The moment of which the last verification of the ledger tells; missing before the first one.',
    [],
    verified === undefined ? [] : single(verified.snapshotAt.getTime() / 1_000),
  );
}
