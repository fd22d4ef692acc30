import { isAccountId, unknownAccount } from '../accounts/accounts.js';
import { type KeyManager, lockKeys, refuseClosed } from '../accounts/key-manager.js';
import { ownerOf } from '../accounts/sandbox.js';
import type { Database, Queryable } from '../database/database.js';
import { readRetention } from './retention.js';
import { checkDays, ROW_DAYS_MIN, TEXT_DAYS_MIN } from './retention-days.js';

/** Days after which texts and numbers are redacted; undefined: never, or nothing is set. */
interface Days {
  readonly textDays: number | undefined;
  readonly numberDays: number | undefined;
}

/** What is kept of the messages of one account. */
export interface AccountRetention extends Days {
  /** What an operator has set for the account instead of the settings for all; 0: kept for ever. */
  readonly operators: Days;
  readonly forAll: Days;
  /** What the owner of the account has set. The fewer days hold. */
  readonly owners: Days;
}

/** Undefined changes nothing, null removes the setting. */
interface DaysChange {
  readonly textDays?: number | null | undefined;
  readonly numberDays?: number | null | undefined;
}

/** @throws OperatorError when there is no such account */
export async function readAccountRetention(database: Queryable, accountId: string): Promise<AccountRetention> {
  const owner = ownerOf(accountId);
  const [row] = isAccountId(owner)
    ? await database.query<
        Record<'text_days' | 'number_days' | 'client_text_days' | 'client_number_days', number | null>
      >(
        `select r.text_days, r.number_days, r.client_text_days, r.client_number_days
           from account a left join account_retention r using (account_id) where a.account_id = $1`,
        [owner],
      )
    : [];
  if (row === undefined) throw unknownAccount(owner);
  const { textDays, numberDays } = await readRetention(database);
  const operators = { textDays: row.text_days ?? undefined, numberDays: row.number_days ?? undefined };
  const owners = { textDays: row.client_text_days ?? undefined, numberDays: row.client_number_days ?? undefined };
  return {
    textDays: fewest(operators.textDays ?? textDays, owners.textDays),
    numberDays: fewest(operators.numberDays ?? numberDays, owners.numberDays),
    operators,
    forAll: { textDays, numberDays },
    owners,
  };
}

/**
 * Sets what holds for an account instead of the settings for all; 0: kept for ever. Workers follow within a minute.
 *
 * @throws OperatorError when there is no such account, or the days are out of range
 */
export async function setAccountRetention(
  database: Database,
  accountId: string,
  change: DaysChange,
): Promise<AccountRetention> {
  checkDays('texts', change.textDays || undefined, TEXT_DAYS_MIN);
  checkDays('numbers', change.numberDays || undefined, ROW_DAYS_MIN);
  return database.transaction(async (transaction) => {
    await lockKeys(transaction, accountId, undefined);
    const before = await readAccountRetention(transaction, accountId);
    await store(transaction, accountId, ['text_days', 'number_days'], before.operators, change);
    return readAccountRetention(transaction, accountId);
  });
}

/**
 * Sets what the owner of an account wants; it can only be fewer days than the operator has set.
 *
 * @throws OperatorError when the account is closed, or the days are out of range
 * @throws KeyRefused when the manager's key has ended
 */
export async function setOwnRetention(
  database: Database,
  manager: KeyManager,
  change: DaysChange,
): Promise<AccountRetention> {
  checkDays('texts', change.textDays ?? undefined, TEXT_DAYS_MIN);
  checkDays('numbers', change.numberDays ?? undefined, ROW_DAYS_MIN);
  return database.transaction(async (transaction) => {
    await lockKeys(transaction, manager.accountId, manager);
    await refuseClosed(transaction, manager.accountId);
    const before = await readAccountRetention(transaction, manager.accountId);
    await store(transaction, manager.accountId, ['client_text_days', 'client_number_days'], before.owners, change);
    return readAccountRetention(transaction, manager.accountId);
  });
}

async function store(
  transaction: Queryable,
  accountId: string,
  [texts, numbers]: readonly [string, string],
  before: Days,
  { textDays, numberDays }: DaysChange,
): Promise<void> {
  await transaction.query(
    `insert into account_retention (account_id, ${texts}, ${numbers}) values ($1, $2, $3)
     on conflict (account_id) do update set ${texts} = $2, ${numbers} = $3`,
    [
      ownerOf(accountId),
      (textDays === undefined ? before.textDays : textDays) ?? null,
      (numberDays === undefined ? before.numberDays : numberDays) ?? null,
    ],
  );
}

/** 0 of the operator is for ever. */
function fewest(operators: number | undefined, owners: number | undefined): number | undefined {
  const days = [operators || undefined, owners].filter((one) => one !== undefined);
  return days.length === 0 ? undefined : Math.min(...days);
}
