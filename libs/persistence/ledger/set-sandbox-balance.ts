import { adjustmentEntry, type Micros } from '#billing';
import { refuseClosed } from '../accounts/key-manager.js';
import { isSandbox, ownerOf } from '../accounts/sandbox.js';
import type { Database } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { book } from './deposits.js';

const REASON = 'Set with a test key';

/**
 * Sets what a sandbox has to spend, by an adjustment in its journal like any other.
 *
 * @throws OperatorError when it is below 0, or the account is closed or has no sandbox yet, because it never had a test
 *   key
 */
export function setSandboxBalance(database: Database, sandboxId: string, balance: Micros): Promise<void> {
  if (!isSandbox(sandboxId)) throw new Error(`account ${sandboxId} is no sandbox`);
  if (balance < 0n) throw new OperatorError('a test balance is 0 or above');
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query<Record<'name' | 'currency' | 'deposited' | 'available', string>>(
      `select a.name, a.currency, b.deposited, b.deposited - b.reserved - b.captured as available
         from account_balance b join account a using (account_id) where b.account_id = $1 for update of b`,
      [sandboxId],
    );
    if (row === undefined) throw new OperatorError(`account ${ownerOf(sandboxId)} has no test keys yet`);
    await refuseClosed(transaction, ownerOf(sandboxId));
    const { name, currency, deposited } = row;
    const available = BigInt(row.available);
    const amount = balance - available;
    if (amount === 0n) return;
    const before = { accountId: sandboxId, name, currency, deposited: BigInt(deposited), available, creditLimit: 0n };
    await book(transaction, before, adjustmentEntry(amount), {
      kind: 'adjustment',
      reference: undefined,
      reason: REASON,
      amount,
      currency,
      fxRate: '1',
      accountAmount: amount,
    });
  });
}
