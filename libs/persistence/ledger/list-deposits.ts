import { findAccount } from '../accounts/accounts.js';
import type { Queryable } from '../database/database.js';
import { type BookedDeposit, DEPOSIT_COLUMNS, type DepositRow, depositOf } from './deposits.js';

/**
 * The newest deposits and adjustments of an account first, and the currency of the account.
 *
 * @throws OperatorError when there is no such account
 */
export async function listDeposits(
  database: Queryable,
  accountId: string,
  limit: number,
): Promise<{ readonly currency: string; readonly deposits: readonly BookedDeposit[] }> {
  const { currency } = await findAccount(database, accountId);
  const rows = await database.query<DepositRow>(
    `select ${DEPOSIT_COLUMNS} from deposit where account_id = $1 order by deposit_number desc limit $2`,
    [accountId, limit],
  );
  return { currency, deposits: rows.map(depositOf) };
}
