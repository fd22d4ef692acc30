import { announceChange } from '../database/changes.js';
import type { Database } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { type AccountOverview, findAccount } from './accounts.js';
import { lockAccount, refuseInternal } from './lock-account.js';
import { managedAccounts, sandboxOf } from './sandbox.js';
import { countOpen, refundQueued } from './suspend-account.js';

/**
 * Closes an account and its sandbox for good: its keys are refused, and nothing is charged, deposited or adjusted any
 * more. Its messages, its journal and the rest of its balance stay as they are; receipts for sent messages still count.
 * Its name may be used again. Queued test messages are canceled.
 *
 * @throws OperatorError when there is no such account, it is closed already or the service's own, or messages of it are
 *   queued or being sent
 */
export async function closeAccount(database: Database, accountId: string): Promise<AccountOverview> {
  const closed = await database.transaction(async (transaction) => {
    // Accepting waits for this lock, so no message is added after the count.
    await lockAccount(transaction, accountId);
    await refuseInternal(transaction, accountId);
    const { queued, sending } = await countOpen(transaction, accountId);
    if (queued + sending > 0) {
      throw new OperatorError(
        `account ${accountId} has open messages (${queued} queued, ${sending} being sent): ` +
          `\`smsctl account suspend ${accountId} --refund-queued\` cancels the queued ones, the others end by themselves`,
      );
    }
    await transaction.query(`update account set status = 'closed' where account_id in ($1, -$1::bigint)`, [accountId]);
    await transaction.query('delete from held_account where account_id = any($1)', [managedAccounts(accountId)]);
    await announceChange(transaction, 'accounts');
    return findAccount(transaction, accountId);
  });
  await refundQueued(database, sandboxOf(accountId));
  return closed;
}
