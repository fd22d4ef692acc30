import type { Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { isAccountId, unknownAccount } from './accounts.js';

/**
 * Locks an account that is not closed, and its sandbox. Every accept locks the balance row first, so after this no
 * accept is open that saw the account as it was.
 *
 * @throws OperatorError when there is no such account, or it is closed
 */
export async function lockAccount(transaction: Queryable, accountId: string): Promise<void> {
  const [balance] = isAccountId(accountId)
    ? (
        await transaction.query<{ account_id: string }>(
          'select account_id from account_balance where account_id in ($1, -$1::bigint) order by account_id for update',
          [accountId],
        )
      ).filter(({ account_id: locked }) => locked === accountId)
    : [];
  if (balance === undefined) throw unknownAccount(accountId);
  // A separate statement, because it must see what was committed while it waited for the lock. It waits for whoever
  // opens the sandbox, so that what is changed next is changed there too.
  const [row] = await transaction.query<{ status: string }>(
    'select status from account where account_id = $1 for no key update',
    [accountId],
  );
  if (row?.status === 'closed') throw new OperatorError(`account ${accountId} is closed`);
}

/**
 * For what the service's own account of carrier tests cannot have, because it has no client: an end, money and keys.
 *
 * @throws OperatorError when it is this account
 */
export async function refuseInternal(transaction: Queryable, accountId: string): Promise<void> {
  const [row] = await transaction.query('select from account where account_id = $1 and internal', [accountId]);
  if (row !== undefined) throw internalAccount(accountId);
}

export function internalAccount(accountId: string): OperatorError {
  return new OperatorError(
    `account ${accountId} belongs to the tests of carriers: it stays open, without money and keys`,
  );
}
