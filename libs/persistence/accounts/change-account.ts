import { MICROS_MAX, type Micros } from '#billing';
import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { findTariff } from '../tariffs/tariffs.js';
import {
  type AccountOverview,
  checkedBalanceAlert,
  checkedCreditLimit,
  checkedMaxInFlight,
  checkedName,
  checkedRateLimit,
  checkedSender,
  checkedSenders,
  findAccount,
  withUniqueName,
} from './accounts.js';
import { lockAccount } from './lock-account.js';

/** The changes of an account; undefined changes nothing, null removes the setting. */
interface AccountChange {
  /** Accounts that are not closed have different names. */
  readonly name?: string | undefined;
  /** The price list for its future messages, in its currency; accepted messages keep their price. */
  readonly tariff?: string | undefined;
  /** The sender that handsets show from now on; null: the carrier's sender, or the service's. */
  readonly sender?: string | null | undefined;
  /** The senders that its messages may ask for, beside its own; replaces the earlier ones. */
  readonly allowedSenders?: readonly string[] | undefined;
  /** Messages that it may have in flight at a time; null: the workers' setting decides. */
  readonly maxInFlight?: number | null | undefined;
  /** Messages that it may send in a second over all gateways; null: no limit. */
  readonly rateLimitPerSecond?: number | null | undefined;
  /** Below it, its webhooks are told that the balance is low; null: they are not. A sandbox has its own. */
  readonly balanceAlert?: Micros | null | undefined;
}

/**
 * Makes all given changes, or none. The sandbox of the account follows.
 *
 * @throws OperatorError when there is no such account, it is closed, or a value is not valid
 */
export function changeAccount(database: Database, accountId: string, change: AccountChange): Promise<AccountOverview> {
  return database.transaction(async (transaction) => {
    await lockAccount(transaction, accountId);
    const before = await findAccount(transaction, accountId);
    const { name = before.name, tariff = before.tariff, allowedSenders = before.allowedSenders } = change;
    const sender = change.sender === undefined ? before.sender : (change.sender ?? undefined);
    const maxInFlight = change.maxInFlight === undefined ? before.maxInFlight : (change.maxInFlight ?? undefined);
    const rateLimit =
      change.rateLimitPerSecond === undefined ? before.rateLimitPerSecond : (change.rateLimitPerSecond ?? undefined);
    const balanceAlert = change.balanceAlert === undefined ? before.balanceAlert : (change.balanceAlert ?? undefined);
    await withUniqueName(async () =>
      transaction.query(
        `update account set name = $2, tariff_id = $3, sender = $4, max_in_flight = $5, rate_limit_per_second = $6,
                allowed_senders = $7, balance_alert = case when account_id = $1 then $8::bigint else balance_alert end
          where account_id in ($1, -$1::bigint)`,
        [
          accountId,
          checkedName(name),
          await tariffIn(transaction, tariff, before.currency),
          checkedSender(sender) ?? null,
          checkedMaxInFlight(maxInFlight) ?? null,
          checkedRateLimit(rateLimit) ?? null,
          checkedSenders(allowedSenders),
          checkedBalanceAlert(balanceAlert) ?? null,
        ],
      ),
    );
    await announceChange(transaction, 'accounts');
    return findAccount(transaction, accountId);
  });
}

/**
 * Sets how far the balance may go below 0 from now on. A lower limit does not touch accepted messages. A sandbox has no
 * credit.
 *
 * @throws OperatorError when there is no such account, it is closed, the limit is below 0, or it does not fit 64 bits
 *   together with the deposits
 */
export function setCreditLimit(database: Database, accountId: string, creditLimit: Micros): Promise<AccountOverview> {
  return database.transaction(async (transaction) => {
    checkedCreditLimit(creditLimit);
    await lockAccount(transaction, accountId);
    const [balance] = await transaction.query<{ deposited: string }>(
      'select deposited from account_balance where account_id = $1',
      [accountId],
    );
    // The accept adds them.
    if (BigInt(balance?.deposited ?? 0) + creditLimit > MICROS_MAX) {
      throw new OperatorError('the balance and the credit limit together would not fit 64 bits');
    }
    await transaction.query(
      `with changed as (
         update account_balance set credit_limit = $2 where account_id = $1 returning account_id, last_entry
       )
       insert into credit_limit_change (account_id, after_entry, credit_limit)
       select account_id, last_entry, $2 from changed
       on conflict (account_id, after_entry) do update set credit_limit = excluded.credit_limit, set_at = now()`,
      [accountId, creditLimit],
    );
    await announceChange(transaction, 'accounts');
    return findAccount(transaction, accountId);
  });
}

async function tariffIn(transaction: Queryable, name: string, currency: string): Promise<string> {
  const tariff = await findTariff(transaction, name);
  if (tariff.currency === currency) return tariff.tariffId;
  throw new OperatorError(`the tariff ${tariff.name} is in ${tariff.currency}, not in ${currency}`);
}
