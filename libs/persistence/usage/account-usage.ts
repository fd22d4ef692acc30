import type { Micros, OrderState } from '#billing';
import type { Queryable } from '../database/database.js';

/** The messages of one day to one country with one status. */
export interface UsageLine {
  /** In UTC, e.g. `2026-11-22`. */
  readonly day: string;
  /** The country calling code. */
  readonly destination: string;
  /** Messages that are being sent count as queued. */
  readonly state: Exclude<OrderState, 'sending'>;
  readonly messages: number;
  readonly segments: number;
  readonly amount: Micros;
}

/**
 * What an account has used, newest day first.
 *
 * @param from the first day, e.g. `2026-11-01`
 * @param to the day after the last one
 */
export async function accountUsage(
  database: Queryable,
  accountId: string,
  from: string,
  to: string,
): Promise<{ readonly lines: readonly UsageLine[]; readonly countedUntil: Date | undefined }> {
  const rows = await database.query<
    Omit<UsageLine, 'day' | 'messages' | 'segments' | 'amount'> &
      Record<'messages' | 'segments' | 'amount', string> & { day: string | null; counted_until: Date | null }
  >(
    `select to_char(day, 'YYYY-MM-DD') as day, destination, state, messages, segments, amount, counted_until
       from account_usage($1, $2, $3)`,
    [accountId, from, to],
  );
  return {
    lines: rows.flatMap(({ counted_until, day, ...row }) =>
      day === null
        ? []
        : {
            ...row,
            day,
            messages: Number(row.messages),
            segments: Number(row.segments),
            amount: BigInt(row.amount),
          },
    ),
    countedUntil: rows[0]?.counted_until ?? undefined,
  };
}

/** Counts what has changed or is new. Returns how many chunks; the caller repeats it until that is 0. */
export async function rollUpUsage(database: Queryable, chunksMax: number): Promise<number> {
  const [row] = await database.query<{ n: number }>('select roll_up_usage($1) as n', [chunksMax]);
  return row?.n ?? 0;
}
