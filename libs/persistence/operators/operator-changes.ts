import { isAccountId, unknownAccount } from '../accounts/accounts.js';
import type { Queryable } from '../database/database.js';
import type { OperatorActor } from './operator-actor.js';

/** One change by an operator. Amounts are decimal strings of the currency; secrets are `***`. */
export interface OperatorChange {
  readonly changeId: string;
  readonly at: Date;
  readonly operator: string;
  readonly actor: Readonly<Record<string, unknown>>;
  /** The changed table, and its row. */
  readonly subject: string;
  readonly subjectId: string;
  readonly accountId: string | undefined;
  /** `insert`, `update`, `delete`, or the word of a command. */
  readonly action: string;
  readonly before: Readonly<Record<string, unknown>> | undefined;
  readonly after: Readonly<Record<string, unknown>> | undefined;
}

/** Which changes; all if it is empty. */
export interface ChangeSelection {
  readonly accountId?: string | undefined;
  /** At or after. */
  readonly since?: Date | undefined;
  /** Before. */
  readonly until?: Date | undefined;
  /** The changed table, or what a command changed. */
  readonly subject?: string | undefined;
  /** Only those that the list has behind this change. */
  readonly before?: string | undefined;
  /** Part of the operator's name, in either case. */
  readonly by?: string | undefined;
}

/** Names the actor of all further changes of a transaction. */
export async function actAs(transaction: Queryable, actor: OperatorActor): Promise<void> {
  await transaction.query(`select set_config('heliograph.actor', $1, true)`, [JSON.stringify(actor)]);
}

/**
 * Records an operator's change in tables that messages write too, where there is no trigger. Triggers record every
 * other change (`operator-changes.sql`).
 */
export async function recordOperatorAction(
  transaction: Queryable,
  action: {
    readonly subject: string;
    readonly subjectId: string;
    readonly accountId?: string | undefined;
    readonly action: string;
    readonly after: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  await transaction.query('select record_operator_action($1, $2, $3, $4, null, readable_row($5))', [
    action.subject,
    action.subjectId,
    action.accountId ?? null,
    action.action,
    JSON.stringify(action.after),
  ]);
}

/**
 * The newest changes first.
 *
 * @throws OperatorError when the given account does not exist
 */
export async function listOperatorChanges(
  database: Queryable,
  { accountId, since, until, by, subject, before }: ChangeSelection,
  limit: number,
): Promise<OperatorChange[]> {
  if (accountId !== undefined) {
    const [account] = isAccountId(accountId)
      ? await database.query('select from account where account_id = $1', [accountId])
      : [];
    if (account === undefined) throw unknownAccount(accountId);
  }
  const rows = await database.query<
    Omit<OperatorChange, 'accountId' | 'before' | 'after'> & {
      accountId: string | null;
      before: Record<string, unknown> | null;
      after: Record<string, unknown> | null;
    }
  >(
    `select change_id as "changeId", at, operator, actor, subject, subject_id as "subjectId", account_id as "accountId",
            action, before, after
       from operator_change
      where ($1::bigint is null or account_id = $1) and ($2::timestamptz is null or at >= $2)
        and ($3::text is null or strpos(lower(operator), lower($3)) > 0)
        and ($5::timestamptz is null or at < $5) and ($6::text is null or subject = $6)
        and ($7::bigint is null or change_id < $7)
      order by change_id desc limit $4`,
    [accountId ?? null, since ?? null, by ?? null, limit, until ?? null, subject ?? null, before ?? null],
  );
  return rows.map((row) => ({
    ...row,
    accountId: row.accountId ?? undefined,
    before: row.before ?? undefined,
    after: row.after ?? undefined,
  }));
}
