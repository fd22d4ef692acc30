import { tryAgain } from '#timing';
import { unknownAccount } from '../accounts/accounts.js';
import { ownerOf } from '../accounts/sandbox.js';
import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { failureKind } from '../database/database-errors.js';
import { CANCEL_ORDERS_MAX } from '../dispatch/cancel-orders.js';
import { recordOperatorAction } from '../operators/operator-changes.js';
import { numberHash } from './number-hash.js';

/** Who wanted it: the owner of the account, an operator, or the recipient. */
export const SUPPRESSION_SOURCES = ['client', 'operator', 'recipient'] as const;
export type SuppressionSource = (typeof SUPPRESSION_SOURCES)[number];

export const SUPPRESSION_REASON_LENGTH_MAX = 200;

const CANCEL_RETRIES = { giveUpAfterMs: 5_000, waitMs: 50 };

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
 * messages to the number that no carrier has. May be repeated: it then cancels what an interrupted call has left.
 *
 * @param e164 digits of a number, as `parseRecipient` returns them
 * @throws OperatorError when there is no such account
 * @throws SecretUnreadable when this process lacks the key for secrets
 */
export async function suppress(
  database: Database,
  accountId: string,
  e164: string,
  { source, reason }: { readonly source: SuppressionSource; readonly reason?: string | undefined },
): Promise<Suppressed> {
  const hash = (await numberHash(database))(accountId, e164);
  const isNew = await database.transaction((transaction) =>
    putOnList(transaction, accountId, hash, { source, reason }),
  );
  return { isNew, canceled: await cancelWaiting(database, accountId, e164) };
}

/**
 * Puts the hash of a number on the list, in the caller's transaction.
 *
 * @returns false when it was on the list already
 */
export async function putOnList(
  transaction: Queryable,
  accountId: string,
  hash: Buffer,
  { source, reason }: { readonly source: SuppressionSource; readonly reason?: string | undefined },
): Promise<boolean> {
  await lockList(transaction, accountId);
  const added = await transaction.query(
    `insert into suppression (account_id, number_hash, source, reason) values ($1, $2, $3, $4)
     on conflict do nothing returning 1`,
    [accountId, hash, source, reason ?? null],
  );
  if (added.length === 0) return false;
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
  hash: Buffer,
  action: 'insert' | 'delete',
  after: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordOperatorAction(transaction, {
    subject: 'suppression',
    subjectId: hash.toString('hex'),
    accountId: ownerOf(accountId),
    action,
    after,
  });
}

/** Cancels the messages to a number that no carrier has. */
export async function cancelWaiting(database: Database, accountId: string, e164: string): Promise<number> {
  let canceled = 0;
  for (let before = '9223372036854775807'; ; ) {
    const [slice] = await tryAgain(
      () =>
        database.query<{ canceled: number; lowest: string | null }>(CANCEL_TO, [
          accountId,
          e164,
          before,
          CANCEL_ORDERS_MAX,
        ]),
      (error) => failureKind(error) === 'retryable',
      CANCEL_RETRIES,
    );
    canceled += slice?.canceled ?? 0;
    if (slice?.lowest == null) return canceled;
    before = slice.lowest;
  }
}

/** The waiting orders of one number, a slice at a time; `lowest` is null when there are no more. */
const CANCEL_TO = `
  with waiting as materialized (
    select o.id, o.sequence from message_order o
     where o.account_id = $1 and o.destination = $2 and o.sequence < $3 and o.state in ('scheduled', 'queued')
     order by o.sequence desc limit $4
  )
  select (select count(*)::integer from cancel_orders($1, array(select w.id from waiting w), 'OPTED_OUT') c
           where c.state = 'canceled') as canceled,
         (select min(w.sequence) from waiting w having count(*) = $4) as lowest`;
