import type { Micros } from '#billing';
import { announceChange } from '../database/changes.js';
import type { Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { isAccountId, unknownAccount } from './accounts.js';

/** A new sandbox has so much to spend, in the currency of its account. */
export const SANDBOX_BALANCE: Micros = 1_000_000_000n;

/**
 * Gives an account its sandbox, with the currency, tariff and limits of the account, unless it has one. The caller has
 * locked the keys of the account.
 *
 * @throws OperatorError when it is the service's own account
 */
export async function openSandbox(transaction: Queryable, accountId: string): Promise<void> {
  if (!isAccountId(accountId)) throw unknownAccount(accountId);
  const [account] = await transaction.query<{ internal: boolean }>(
    'select internal from account where account_id = $1',
    [accountId],
  );
  if (account?.internal !== false) throw new OperatorError(`account ${accountId} has no test keys`);
  const opened = await transaction.query(
    `with opened as (
       insert into account (account_id, name, currency, tariff_id, status, rate_limit_per_second, sender, max_in_flight,
                            allowed_senders)
       overriding system value
       select -account_id, name, currency, tariff_id, status, rate_limit_per_second, sender, max_in_flight,
              allowed_senders
         from account where account_id = $1
       on conflict (account_id) do nothing returning account_id, currency
     ), balanced as (
       insert into account_balance (account_id, deposited, last_deposit, last_entry)
       select account_id, $2, 1, 1 from opened
     ), limited as (
       insert into credit_limit_change (account_id, after_entry, credit_limit) select account_id, 0, 0 from opened
     ), deposited as (
       insert into deposit (account_id, deposit_number, kind, amount, currency, account_amount)
       select account_id, 1, 'deposit', $2, currency, $2 from opened
     ), journal as (
       insert into journal_entry (account_id, entry, kind, debit, credit, amount, available_after, deposit_number)
       select account_id, 1, 'deposit', 'funding', 'available', $2, $2, 1 from opened
     ) select account_id from opened`,
    [accountId, SANDBOX_BALANCE],
  );
  if (opened.length === 0) return;
  await announceChange(transaction, 'accounts');
  // Workers connect to the sandbox's carrier from the first sandbox on.
  await announceChange(transaction, 'carriers');
}
