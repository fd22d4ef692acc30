import type { JournalEntry, Micros } from '#billing';
import type { Queryable } from '../database/database.js';

export interface DepositItem {
  readonly amount: Micros;
  readonly currency: string;
  readonly createdAt: Date;
  readonly kind: 'deposit' | 'adjustment';
  /** In the account's currency, as it was booked. */
  readonly accountAmount: Micros;
  readonly reference: string | undefined;
  readonly reason: string | undefined;
}

export interface JournalItem extends JournalEntry {
  /** Dense by account, from 1. */
  readonly number: number;
  /** The balance that it left. */
  readonly availableAfter: Micros;
  /** The number of its messages. */
  readonly orderCount: number | undefined;
  readonly reason: string | undefined;
  readonly createdAt: Date;
}

/** Which page: by its number, counted from 1, or the one with the numbers below `before`. */
export interface WantedPage {
  readonly page: number;
  readonly limit: number;
  readonly before?: number | undefined;
}

export interface LedgerPage<Item> {
  /** Newest first. */
  readonly items: readonly Item[];
  readonly total: number;
  /** What `before` has to be for the next page; undefined: there is none. */
  readonly next: number | undefined;
}

/** Past the end there is one row with the total only. */
interface NumberedRow {
  readonly total: string;
  readonly number: string | null;
}

interface DepositRow extends NumberedRow {
  readonly amount: string;
  readonly currency: string;
  readonly created_at: Date;
  readonly kind: DepositItem['kind'];
  readonly account_amount: string;
  readonly reference: string | null;
  readonly reason: string | null;
}

interface JournalRow extends NumberedRow {
  readonly kind: JournalEntry['kind'];
  readonly debit: JournalEntry['debit'];
  readonly credit: JournalEntry['credit'];
  readonly amount: string;
  readonly available_after: string;
  readonly order_count: number | null;
  readonly reason: string | null;
  readonly created_at: Date;
}

/** A page of the account's deposits and adjustments. */
export async function depositsPage(
  database: Queryable,
  accountId: string,
  wanted: WantedPage,
): Promise<LedgerPage<DepositItem>> {
  const rows = await database.query<DepositRow>('select * from deposits_page($1, $2, $3, $4)', at(accountId, wanted));
  return pageOf(rows, (row) => ({
    amount: BigInt(row.amount),
    currency: row.currency,
    createdAt: row.created_at,
    kind: row.kind,
    accountAmount: BigInt(row.account_amount),
    reference: row.reference ?? undefined,
    reason: row.reason ?? undefined,
  }));
}

/** A page of the account's journal. */
export async function journalPage(
  database: Queryable,
  accountId: string,
  wanted: WantedPage,
): Promise<LedgerPage<JournalItem>> {
  const rows = await database.query<JournalRow>('select * from journal_page($1, $2, $3, $4)', at(accountId, wanted));
  return pageOf(rows, (row) => ({
    number: Number(row.number),
    kind: row.kind,
    debit: row.debit,
    credit: row.credit,
    amount: BigInt(row.amount),
    availableAfter: BigInt(row.available_after),
    orderCount: row.order_count ?? undefined,
    reason: row.reason ?? undefined,
    createdAt: row.created_at,
  }));
}

function at(accountId: string, { page, limit, before }: WantedPage): unknown[] {
  return [accountId, before === undefined ? page : 1, limit, before ?? null];
}

function pageOf<Row extends NumberedRow, Item>(rows: readonly Row[], itemOf: (row: Row) => Item): LedgerPage<Item> {
  const lowest = Number(rows.at(-1)?.number ?? 0);
  return {
    items: rows.filter(({ number }) => number !== null).map(itemOf),
    total: Number(rows[0]?.total ?? 0),
    next: lowest > 1 ? lowest : undefined,
  };
}
