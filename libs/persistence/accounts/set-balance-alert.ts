import type { Micros } from '#billing';
import type { Database } from '../database/database.js';
import { type KeyManager, lockKeys, refuseClosed } from './key-manager.js';

/**
 * Sets below which balance an account, or a sandbox, is told by `balance.low`; undefined: it is not told.
 *
 * @throws OperatorError when the account is closed
 * @throws KeyRefused when the manager's key has ended
 */
export function setBalanceAlert(database: Database, threshold: Micros | undefined, manager: KeyManager): Promise<void> {
  const { accountId } = manager;
  return database.transaction(async (transaction) => {
    await lockKeys(transaction, accountId, manager);
    await refuseClosed(transaction, accountId);
    await transaction.query('update account set balance_alert = $2 where account_id = $1', [
      accountId,
      threshold ?? null,
    ]);
  });
}
