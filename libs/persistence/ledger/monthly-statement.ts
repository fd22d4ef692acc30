import { boundsOfMonth, type JournalEntry, type Micros } from '#billing';
import type { Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';

/** Money that came in. */
export interface StatementDeposit {
  readonly number: number;
  readonly at: Date;
  /** As it was paid. */
  readonly amount: Micros;
  readonly currency: string;
  readonly fxRate: string;
  /** As it was booked, in the account's currency. */
  readonly booked: Micros;
  readonly reference: string | null;
}

/** A correction by the operator. */
export interface StatementAdjustment {
  readonly number: number;
  readonly at: Date;
  readonly amount: Micros;
  readonly reason: string | null;
}

/** The messages of one day to one country at one price, as they were charged when they were accepted. */
export interface StatementCharge {
  /** In UTC, e.g. `2026-10-22`. */
  readonly day: string;
  /** The country calling code. */
  readonly destination: string;
  /** As the account's price list calls it. */
  readonly country: string | null;
  readonly unitPrice: Micros;
  readonly messages: number;
  readonly segments: number;
  readonly amount: Micros;
}

/** What came back on one day for messages that were never sent, whenever they were charged. */
export interface StatementRefund {
  readonly day: string;
  readonly messages: number;
  readonly amount: Micros;
}

/** What the lines of a kind add up to. */
export interface StatementTotals {
  readonly deposits: Micros;
  readonly adjustments: Micros;
  readonly charges: Micros;
  readonly refunds: Micros;
}

/** A month of an account: opening + deposits + adjustments - charges + refunds = closing. */
export interface MonthlyStatement {
  readonly accountId: string;
  readonly name: string;
  readonly currency: string;
  /** In UTC, e.g. `2026-10`. */
  readonly month: string;
  readonly from: Date;
  readonly to: Date;
  readonly madeAt: Date;
  /** False: entries may still be added to the month. */
  readonly isFinal: boolean;
  readonly opening: Micros;
  readonly deposits: readonly StatementDeposit[];
  readonly adjustments: readonly StatementAdjustment[];
  readonly charges: readonly StatementCharge[];
  readonly refunds: readonly StatementRefund[];
  /** Charges of messages that a version before 0.3 dropped, which had no lines of their own; else 0. */
  readonly notItemised: Micros;
  readonly totals: StatementTotals;
  readonly closing: Micros;
}

interface EntryJson {
  readonly kind: JournalEntry['kind'];
  readonly at: string;
  readonly number: number | null;
  readonly change: string;
  readonly messages: number;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly rate: string | null;
  readonly reference: string | null;
  readonly reason: string | null;
}

type ChargeJson = Omit<StatementCharge, 'unitPrice' | 'amount'> & { readonly price: string };

interface StatementRow {
  readonly name: string;
  readonly currency: string;
  readonly made_at: Date;
  readonly is_final: boolean;
  readonly has_begun: boolean;
  readonly was_open: boolean;
  readonly opening: string;
  readonly entries: readonly EntryJson[];
  readonly charges: readonly ChargeJson[];
}

/** The moment of the closing balance: the end of the month, or that of the statement while the month goes on. */
export function closingTime({ madeAt, to }: MonthlyStatement): Date {
  return madeAt < to ? madeAt : to;
}

/** One statement, so that everything is of one snapshot. An hour: monthly-statement.sql says why. */
const STATEMENT = `
  select a.name, a.currency, now() as made_at, now() >= $3::timestamptz + interval '1 hour' as is_final,
         now() >= $2::timestamptz as has_begun, a.created_at < $3::timestamptz as was_open, b.opening::text,
         (select coalesce(json_agg(json_build_object(
                   'kind', e.kind, 'at', e.at, 'number', e.deposit_number, 'change', e.change::text,
                   'messages', e.messages, 'amount', d.amount::text, 'currency', d.currency,
                   'rate', trim_scale(d.fx_rate)::text, 'reference', d.reference, 'reason', d.reason)
                 order by e.at, e.deposit_number), '[]')
            from statement_entries(a.account_id, $2, $3) e
            left join deposit d on d.account_id = a.account_id and d.deposit_number = e.deposit_number) as entries,
         (select coalesce(json_agg(json_build_object(
                   'day', c.day, 'destination', c.destination, 'country', r.country, 'price', c.unit_price::text,
                   'messages', c.messages, 'segments', c.segments)
                 order by c.day, c.destination, c.unit_price), '[]')
            from account_charges(a.account_id, ($2::timestamptz at time zone 'UTC')::date, ($3::timestamptz at time zone 'UTC')::date) c
            left join tariff_rates(a.tariff_id, now()) r on r.prefix = c.destination) as charges
    from account a, statement_bounds(a.account_id, $2, $3) b
   where a.account_id = $1`;

/**
 * The statement of a month, which begins and ends at midnight in UTC. An entry belongs to the month of its time, and
 * entries are never changed; so statements follow each other without gaps, and a refund stands in the month in which it
 * was given.
 *
 * @param month e.g. `2026-10`
 * @throws OperatorError when there is no such account, the month has not begun, or the account was opened after it
 */
export async function monthlyStatement(
  database: Queryable,
  accountId: string,
  month: string,
): Promise<MonthlyStatement> {
  const { from, to } = boundsOfMonth(month);
  const [row] = await database.query<StatementRow>(STATEMENT, [accountId, from, to]);
  if (row === undefined) throw new OperatorError(`there is no account ${accountId}`, 'missing');
  if (!row.has_begun) throw new OperatorError(`the month ${month} has not begun`, 'missing');
  if (!row.was_open) throw new OperatorError(`account ${accountId} was opened after the month ${month}`, 'missing');
  const { name, currency, made_at: madeAt, is_final: isFinal } = row;
  const lines = linesOf(row);
  const reserved = row.entries.filter(({ kind }) => kind === 'reserve');
  const charged = -sum(reserved.map(({ change }) => BigInt(change)));
  const totals: StatementTotals = {
    deposits: sum(lines.deposits.map(({ booked }) => booked)),
    adjustments: sum(lines.adjustments.map(({ amount }) => amount)),
    charges: charged,
    refunds: sum(lines.refunds.map(({ amount }) => amount)),
  };
  const opening = BigInt(row.opening);
  const closing = opening + totals.deposits + totals.adjustments - totals.charges + totals.refunds;
  const notItemised = charged - sum(lines.charges.map(({ amount }) => amount));
  const head = { accountId, name, currency, month, from, to, madeAt, isFinal };
  return { ...head, opening, ...lines, notItemised, totals, closing };
}

function linesOf({
  entries,
  charges,
}: StatementRow): Pick<MonthlyStatement, 'deposits' | 'adjustments' | 'charges' | 'refunds'> {
  const refunds = new Map<string, StatementRefund>();
  for (const { kind, at, messages, change } of entries) {
    if (kind !== 'release' && kind !== 'refund') continue;
    const day = new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);
    const before = refunds.get(day) ?? { day, messages: 0, amount: 0n };
    refunds.set(day, { day, messages: before.messages + messages, amount: before.amount + BigInt(change) });
  }
  return {
    deposits: entries
      .filter(({ kind }) => kind === 'deposit')
      .map(({ number, at, change, amount, currency, rate, reference }) => ({
        number: Number(number),
        at: new Date(at),
        amount: BigInt(amount ?? change),
        currency: currency ?? '',
        fxRate: rate ?? '1',
        booked: BigInt(change),
        reference,
      })),
    adjustments: entries
      .filter(({ kind }) => kind === 'adjust')
      .map(({ number, at, change, reason }) => ({
        number: Number(number),
        at: new Date(at),
        amount: BigInt(change),
        reason,
      })),
    charges: charges.map(({ price, ...line }) => ({
      ...line,
      unitPrice: BigInt(price),
      amount: BigInt(price) * BigInt(line.segments),
    })),
    refunds: [...refunds.values()],
  };
}

function sum(amounts: readonly Micros[]): Micros {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** The months of an account since it was opened, newest first. */
export function openMonths(
  database: Queryable,
  accountId: string,
): Promise<{ readonly month: string; readonly isFinal: boolean }[]> {
  return database.query(
    `select to_char(m, 'YYYY-MM') as month, now() at time zone 'UTC' >= m + interval '1 month 1 hour' as "isFinal"
       from account a, generate_series(date_trunc('month', a.created_at at time zone 'UTC'), now() at time zone 'UTC', '1 month') m
      where a.account_id = $1 order by m desc`,
    [accountId],
  );
}
