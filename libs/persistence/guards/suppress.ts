import { unknownAccount } from '../accounts/accounts.js';
import { ownerOf } from '../accounts/sandbox.js';
import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { recordOperatorAction } from '../operators/operator-changes.js';
import { cancelOptedOut, openOptOut } from './cancel-opted-out.js';
import { type NumberHash, numberHash } from './number-hash.js';

/** Who wanted it: the owner of the account, an operator, or the recipient. */
export const SUPPRESSION_SOURCES = ['client', 'operator', 'recipient'] as const;
export type SuppressionSource = (typeof SUPPRESSION_SOURCES)[number];

export const SUPPRESSION_REASON_LENGTH_MAX = 200;

/** What has become of it. */
export interface Suppressed {
  /** False: the number was on the list already. */
  readonly isNew: boolean;
  /** Messages to the number that no carrier had: they are canceled and given back. */
  readonly canceled: number;
}

/**
 * Puts a number on the suppression list of an account, or of a sandbox. Every send to it that is accepted afterwards is
 * refused: the commit of a send looks at the list while it holds the account's balance. Then it cancels the account's
 * messages to the number that no carrier has. If it is interrupted, the reconciler cancels them.
 *
 * @param e164 digits of a number, as `parseRecipient` returns them
 * @throws OperatorError when there is no such account
 * @throws SecretUnreadable when this process lacks the secrets key
 */
export async function suppress(
  database: Database,
  accountId: string,
  e164: string,
  { source, reason }: { readonly source: SuppressionSource; readonly reason?: string | undefined },
): Promise<Suppressed> {
  const hash = await numberHash(database);
  const isNew = await database.transaction((transaction) =>
    putOnList(transaction, hash, accountId, e164, { source, reason }),
  );
  return { isNew, canceled: await cancelOptedOut(database, accountId, e164) };
}

/**
 * Puts a number on the list, in the caller's transaction. What waits for it is canceled after that, by
 * `cancelOptedOut()`.
 *
 * @returns false when it was on the list already
 */
export async function putOnList(
  transaction: Queryable,
  hashOf: NumberHash,
  accountId: string,
  e164: string,
  { source, reason }: { readonly source: SuppressionSource; readonly reason?: string | undefined },
): Promise<boolean> {
  const hash = hashOf(accountId, e164);
  await lockList(transaction, accountId);
  const added = await transaction.query(
    `insert into suppression (account_id, number_hash, source, reason) values ($1, decode($2, 'hex'), $3, $4)
     on conflict do nothing returning 1`,
    [accountId, hash, source, reason ?? null],
  );
  if (added.length === 0) return false;
  await openOptOut(transaction, accountId, e164);
  await noteWhetherEmpty(transaction, accountId);
  if (source !== 'recipient') await recordChange(transaction, accountId, hash, 'insert', { source, reason });
  return true;
}

/** Locks the balance row, as every accept does: no accept is open that has seen the list as it was. */
export async function lockList(transaction: Queryable, accountId: string): Promise<void> {
  const isAccount = /^-?[1-9][0-9]{0,17}$/.test(accountId);
  const [row] = isAccount
    ? await transaction.query('select from account_balance where account_id = $1 for update', [accountId])
    : [];
  if (row === undefined) throw unknownAccount(ownerOf(accountId));
}

/** Gateways hash the numbers of an account only if its list has an entry. They learn it when this commits. */
export async function noteWhetherEmpty(transaction: Queryable, accountId: string): Promise<void> {
  const changed = await transaction.query(
    `update account a set has_suppressions = not a.has_suppressions, guard_version = guard_version + 1
      where a.account_id = $1
        and a.has_suppressions <> exists (select from suppression s where s.account_id = $1) returning 1`,
    [accountId],
  );
  if (changed.length > 0) await announceChange(transaction, 'accounts');
}

/** What the owner or an operator changes is recorded; the hash says nothing about the number. */
export async function recordChange(
  transaction: Queryable,
  accountId: string,
  hash: string,
  action: 'insert' | 'delete',
  after: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordOperatorAction(transaction, {
    subject: 'suppression',
    subjectId: hash,
    accountId: ownerOf(accountId),
    action,
    after,
  });
}
