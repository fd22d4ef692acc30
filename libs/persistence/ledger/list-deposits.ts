import { findAccount } from '../accounts/accounts.js';
import type { Queryable } from '../database/database.js';
import { type BookedDeposit, DEPOSIT_COLUMNS, type DepositRow, depositOf } from './deposits.js';

/**
 * The newest deposits and adjustments of an account first, and the currency of the account.
 *
 * @param before only those with a lower number
 * @throws OperatorError when there is no such account
 */
export async function listDeposits(
  database: Queryable,
  accountId: string,
  limit: number,
  before?: string,
): Promise<{ readonly currency: string; readonly deposits: readonly BookedDeposit[] }> {
  const { currency } = await findAccount(database, accountId);
  const rows = await database.query<DepositRow>(
    `select ${DEPOSIT_COLUMNS} from deposit
      where account_id = $1 and ($3::bigint is null or deposit_number < $3) order by deposit_number desc limit $2`,
    [accountId, limit, before ?? null],
  );
  return { currency, deposits: rows.map(depositOf) };
}
