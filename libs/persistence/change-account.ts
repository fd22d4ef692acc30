import type { Micros } from '#billing';
import {
  type AccountOverview,
  checkedCreditLimit,
  checkedMaxInFlight,
  checkedRateLimit,
  checkedSender,
  findAccount,
  isAccountId,
  unknownAccount,
} from './accounts.js';
import { announceChange } from './changes.js';
import type { Database, Queryable } from './database.js';

/**
 * A suspended account is refused (403) as soon as the gateways hear of it, and by the accept statement at once; what it
 * sent before is still delivered. Doing it twice is no error.
 */
export function setAccountStatus(
  database: Database,
  accountId: string,
  status: 'active' | 'suspended',
): Promise<AccountOverview> {
  return changeAccount(database, accountId, 'update account set status = $2 where account_id = $1', status);
}

/** How far the balance may go below 0 from now on. Lowering it does not touch what has been accepted. */
export async function setCreditLimit(
  database: Database,
  accountId: string,
  creditLimit: Micros,
): Promise<AccountOverview> {
  checkedCreditLimit(creditLimit);
  return changeAccount(
    database,
    accountId,
    `with changed as (
       update account_balance set credit_limit = $2 where account_id = $1 returning account_id, last_entry
     )
     insert into credit_limit_change (account_id, after_entry, credit_limit)
     select account_id, last_entry, $2 from changed
     on conflict (account_id, after_entry) do update set credit_limit = excluded.credit_limit, set_at = now()`,
    creditLimit,
  );
}

/** Messages that the account may send in a second over all gateways; undefined lifts the limit. */
export async function setRateLimit(
  database: Database,
  accountId: string,
  perSecond: number | undefined,
): Promise<AccountOverview> {
  return changeAccount(
    database,
    accountId,
    'update account set rate_limit_per_second = $2 where account_id = $1',
    checkedRateLimit(perSecond) ?? null,
  );
}

/** What handsets show of the account's messages from now on; undefined: the carrier's sender, or the service's. */
export async function setSender(
  database: Database,
  accountId: string,
  sender: string | undefined,
): Promise<AccountOverview> {
  return changeAccount(
    database,
    accountId,
    'update account set sender = $2 where account_id = $1',
    checkedSender(sender) ?? null,
  );
}

/** How many messages the account may have at carriers and unanswered at a time; undefined: as the workers' setting says. */
export async function setMaxInFlight(
  database: Database,
  accountId: string,
  messages: number | undefined,
): Promise<AccountOverview> {
  return changeAccount(
    database,
    accountId,
    'update account set max_in_flight = $2 where account_id = $1',
    checkedMaxInFlight(messages) ?? null,
  );
}

function changeAccount(database: Database, accountId: string, sql: string, value: unknown): Promise<AccountOverview> {
  return database.transaction(async (transaction: Queryable) => {
    if (!isAccountId(accountId)) throw unknownAccount(accountId);
    await transaction.query(sql, [accountId, value]);
    await announceChange(transaction, 'accounts');
    return findAccount(transaction, accountId);
  });
}
