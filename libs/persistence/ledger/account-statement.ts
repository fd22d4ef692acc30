import type { JournalEntry, Micros } from '#billing';
import { findAccount } from '../accounts/accounts.js';
import type { Database } from '../database/database.js';

/** The effect of one kind of entries on the balance on one day. */
interface StatementLine {
  /** In UTC, e.g. `2026-11-22`. */
  readonly day: string;
  readonly kind: JournalEntry['kind'];
  readonly entries: number;
  /** The number of messages of the entries; 0 for incoming money. */
  readonly messages: number;
  /** The growth of the balance; negative if it fell. */
  readonly change: Micros;
}

/** An account's balance from one moment to another: opening + the changes of all lines = closing. */
export interface AccountStatement {
  readonly accountId: string;
  readonly name: string;
  readonly currency: string;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly opening: Micros;
  readonly lines: readonly StatementLine[];
  readonly closing: Micros;
}

/** The effect of an entry on the balance. A capture has none: its money left the balance when it was reserved. */
const CHANGE = `case when credit = 'available' then amount when debit = 'available' then -amount else 0 end`;

/**
 * The statement of an account, from its journal in one snapshot; days are UTC.
 *
 * @param from at or after; undefined: from its opening
 * @param to before; undefined: until now
 * @throws OperatorError when there is no such account
 */
export function accountStatement(
  database: Database,
  accountId: string,
  from: Date | undefined,
  to: Date | undefined,
): Promise<AccountStatement> {
  return database.transaction(async (transaction) => {
    await transaction.query('set transaction isolation level repeatable read, read only');
    const { name, currency } = await findAccount(transaction, accountId);
    const [before] = await transaction.query<{ opening: string }>(
      `select coalesce(sum(${CHANGE}), 0)::text as opening from journal_entry where account_id = $1 and created_at < $2`,
      [accountId, from ?? new Date(0)],
    );
    const rows = await transaction.query<{
      day: string;
      kind: JournalEntry['kind'];
      entries: number;
      messages: string;
      change: string;
    }>(
      `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, kind, count(*)::integer as entries,
              coalesce(sum(order_count), 0)::text as messages, sum(${CHANGE})::text as change
         from journal_entry
        where account_id = $1 and created_at >= $2 and ($3::timestamptz is null or created_at < $3)
        group by 1, kind order by 1, kind`,
      [accountId, from ?? new Date(0), to ?? null],
    );
    const lines = rows.map((row) => ({ ...row, messages: Number(row.messages), change: BigInt(row.change) }));
    const opening = BigInt(before?.opening ?? 0);
    const closing = lines.reduce((balance, { change }) => balance + change, opening);
    return { accountId, name, currency, from, to, opening, lines, closing };
  });
}
