import type { Micros } from '#billing';
import type { Database, Queryable } from '../database/database.js';
import { type KeyManager, lockKeys, refuseClosed } from './key-manager.js';

/** Below which balance an account, or a sandbox, is told by `balance.low`; undefined: it is not told. */
export async function findBalanceAlert(database: Queryable, accountId: string): Promise<Micros | undefined> {
  const [row] = await database.query<{ balance_alert: string | null }>(
    'select balance_alert from account where account_id = $1',
    [accountId],
  );
  return row?.balance_alert == null ? undefined : BigInt(row.balance_alert);
}

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
