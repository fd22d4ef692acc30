import { checkedGuards, GuardError, type GuardName, type GuardSettings } from '#billing';
import { findAccount } from '../accounts/accounts.js';
import { lockAccount } from '../accounts/lock-account.js';
import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';

/** In place of an account: the guards of all accounts that have none of their own. */
export const ALL_ACCOUNTS = '0';

const LOCK_FOR_ALL = "select pg_advisory_xact_lock(hashtext('heliograph.guards'))";
/** The rows of `account` that a change of guards concerns. */
const CHANGED = '($1 = 0 or account_id in ($1, -$1::bigint))';

/** What is changed: a guard that is left out stays as it is; null: none, whatever holds for all. */
export type GuardChange = Readonly<Partial<Record<GuardName, unknown>>>;

/** The guards of an account, and where each comes from. */
export interface GuardOverview {
  /** `0`: for all. */
  readonly accountId: string;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  /** Its own. */
  readonly own: GuardSettings;
  /** Those for all accounts. */
  readonly forAll: GuardSettings;
}

/**
 * Changes guards of an account, or those for all. They hold for every send that is accepted afterwards.
 *
 * @throws OperatorError when there is no such account, it is closed, or a value is not valid
 */
export function setGuards(database: Database, accountId: string, change: GuardChange): Promise<GuardOverview> {
  return changeGuards(database, accountId, (own) => {
    const kept = Object.entries(own).filter(([name]) => !Object.hasOwn(change, name));
    return { ...Object.fromEntries(kept), ...checkedChange(change) };
  });
}

/**
 * Removes guards of an account, or those for all: given ones, or every one. Afterwards those for all hold.
 *
 * @throws OperatorError when there is no such account, or it is closed
 */
export function clearGuards(
  database: Database,
  accountId: string,
  names: readonly GuardName[] = [],
): Promise<GuardOverview> {
  return changeGuards(database, accountId, (own) => {
    if (names.length === 0) return {};
    return Object.fromEntries(Object.entries(own).filter(([name]) => !names.some((one) => one === name)));
  });
}

/** @throws OperatorError when there is no such account */
export async function findGuards(database: Queryable, accountId: string): Promise<GuardOverview> {
  const account = accountId === ALL_ACCOUNTS ? undefined : await findAccount(database, accountId);
  const [own, forAll] = [await settingsOf(database, accountId), await settingsOf(database, ALL_ACCOUNTS)];
  return { accountId, name: account?.name, currency: account?.currency, own, forAll };
}

/** Those for all accounts first, then every account that has guards of its own. */
export async function listGuards(database: Queryable): Promise<GuardOverview[]> {
  const forAll = await settingsOf(database, ALL_ACCOUNTS);
  const rows = await database.query<{ accountId: string; name: string; currency: string; own: GuardSettings }>(
    `select g.account_id as "accountId", a.name, a.currency, g.settings as own
       from guard g join account a using (account_id) where a.status <> 'closed' order by g.account_id`,
  );
  const first = { accountId: ALL_ACCOUNTS, name: undefined, currency: undefined, own: forAll, forAll };
  return [first, ...rows.map((row) => ({ ...row, forAll }))];
}

function changeGuards(
  database: Database,
  accountId: string,
  change: (own: GuardSettings) => GuardSettings,
): Promise<GuardOverview> {
  return database.transaction(async (transaction) => {
    // After this no accept of the account is open. For all accounts that would stop the service: there only changes of
    // these guards follow each other.
    if (accountId === ALL_ACCOUNTS) await transaction.query(LOCK_FOR_ALL);
    else await lockAccount(transaction, accountId);
    await transaction.query(`insert into guard (account_id, settings) values ($1, '{}') on conflict do nothing`, [
      accountId,
    ]);
    const [row] = await transaction.query<{ settings: GuardSettings }>(
      'select settings from guard where account_id = $1 for update',
      [accountId],
    );
    const settings = change(row?.settings ?? {});
    const isEmpty = Object.keys(settings).length === 0;
    await transaction.query(
      isEmpty
        ? 'delete from guard where account_id = $1 and $2::jsonb is not null'
        : 'update guard set settings = $2 where account_id = $1',
      [accountId, JSON.stringify(settings)],
    );
    // An account before its sandbox, as all changes of both lock them. In a statement of its own: to update an older
    // version of a row than the one that is locked is to wait for others, who wait for that lock.
    await transaction.query(
      `select from account where ${CHANGED} order by abs(account_id), account_id desc for no key update`,
      [accountId],
    );
    await transaction.query(`update account set guard_version = guard_version + 1 where ${CHANGED}`, [accountId]);
    await announceChange(transaction, 'accounts');
    return findGuards(transaction, accountId);
  });
}

async function settingsOf(database: Queryable, accountId: string): Promise<GuardSettings> {
  const [row] = await database.query<{ settings: GuardSettings }>('select settings from guard where account_id = $1', [
    accountId,
  ]);
  return row?.settings ?? {};
}

/** @throws OperatorError when a value is not valid */
export function checkedChange(change: GuardChange): GuardSettings {
  try {
    return checkedGuards(change);
  } catch (error) {
    if (error instanceof GuardError) throw new OperatorError(error.message);
    throw error;
  }
}
