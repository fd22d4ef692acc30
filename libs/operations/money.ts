import { dayBefore, dayOf, isCalendarDay, type JournalEntry, type Micros } from '#billing';
import {
  type AccountStatement,
  accountStatement,
  accountUsage,
  adjustBalance,
  type BookedDeposit,
  type Booking,
  bookDeposit,
  type Database,
  type FxRate,
  findAccount,
  journalPage,
  listDeposits,
  listFxRates,
  OperatorError,
  setFxRate,
  type UsageLine,
} from '#persistence';
import { checkPeriod, microsOf, momentOf, PAGE_ITEMS, type Page, type Paging, pageBy } from './wire.js';

/** Reads the whole journal of an account. */
export const STATEMENT_TIMEOUT_MS = 120_000;
export const USAGE_TIMEOUT_MS = 60_000;

interface OfAccount {
  readonly accountId: string;
}

/** Money that was booked. */
interface DepositAnswer {
  readonly accountId: string;
  readonly number: number;
  readonly kind: BookedDeposit['kind'];
  readonly reference: string | null;
  readonly reason: string | null;
  readonly amount: Micros;
  readonly currency: string;
  readonly fxRate: string;
  readonly accountAmount: Micros;
  readonly accountCurrency: string;
  readonly createdAt: Date;
}

interface BookingAnswer extends DepositAnswer {
  readonly accountName: string;
  readonly creditRemaining: Micros;
  /** It was booked before under the same reference, and not again. */
  readonly repeated: boolean;
}

/** @param wanted `reference`: it is never booked twice; `requestKey`: the same of a request */
export async function deposit(
  database: Database,
  wanted: OfAccount & {
    readonly amount: string;
    readonly currency: string;
    readonly reference?: string | undefined;
    readonly requestKey?: string | undefined;
  },
): Promise<BookingAnswer> {
  const { accountId, amount, currency, reference, requestKey } = wanted;
  const booking = await bookDeposit(database, accountId, {
    amount: microsOf(amount),
    currency,
    ...(reference !== undefined && { reference }),
    requestKey,
  });
  return bookingAnswer(accountId, booking);
}

/**
 * @param wanted `isMeant`: also where the balance falls below 0, or the amount is more than all deposits so far;
 *   `requestKey`: it is booked once, however often it is asked for
 * @throws UnusualAdjustment
 */
export async function adjust(
  database: Database,
  wanted: OfAccount & {
    readonly amount: string;
    readonly reason: string;
    readonly isMeant?: boolean | undefined;
    readonly requestKey?: string | undefined;
  },
): Promise<BookingAnswer> {
  const { accountId, amount, reason, isMeant = false, requestKey } = wanted;
  const booking = await adjustBalance(database, accountId, { amount: microsOf(amount), reason, isMeant, requestKey });
  return bookingAnswer(accountId, booking);
}

export async function depositList(
  database: Database,
  { accountId, ...paging }: OfAccount & Paging,
): Promise<Page<DepositAnswer>> {
  const { currency } = await findAccount(database, accountId);
  return pageBy(
    paging,
    async (limit, before) => (await listDeposits(database, accountId, limit, before)).deposits,
    ({ depositNumber }) => String(depositNumber),
    (one) => depositAnswer(accountId, one, currency),
  );
}

/** An entry of an account's journal. */
export interface LedgerEntry {
  readonly number: number;
  readonly kind: JournalEntry['kind'];
  readonly debit: JournalEntry['debit'];
  readonly credit: JournalEntry['credit'];
  readonly amount: Micros;
  readonly balanceAfter: Micros;
  readonly messages: number | null;
  readonly reason: string | null;
  readonly createdAt: Date;
}

export async function accountLedger(
  database: Database,
  { accountId, limit = PAGE_ITEMS, cursor }: OfAccount & Paging,
): Promise<Page<LedgerEntry>> {
  await findAccount(database, accountId);
  const before = cursor === undefined ? undefined : Number(cursor);
  const { items, next } = await journalPage(database, accountId, { page: 1, limit, before });
  return {
    data: items.map((entry) => ({
      number: entry.number,
      kind: entry.kind,
      debit: entry.debit,
      credit: entry.credit,
      amount: entry.amount,
      balanceAfter: entry.availableAfter,
      messages: entry.orderCount ?? null,
      reason: entry.reason ?? null,
      createdAt: entry.createdAt,
    })),
    next: next === undefined ? null : String(next),
  };
}

interface StatementAnswer extends Omit<AccountStatement, 'from' | 'to' | 'lines'> {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly lines: readonly (AccountStatement['lines'][number] & { readonly balance: Micros })[];
}

/** @throws OperatorError when `from` is after `to` */
export async function accountStatementBy(
  database: Database,
  { accountId, from, to }: OfAccount & { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<StatementAnswer> {
  checkPeriod(from, to, 'statement');
  const statement = await accountStatement(database, accountId, momentOf(from), momentOf(to));
  let balance = statement.opening;
  const lines = statement.lines.map((line) => {
    balance += line.change;
    return { ...line, balance };
  });
  return { ...statement, from: statement.from ?? null, to: statement.to ?? null, lines };
}

interface UsageAnswer {
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
  readonly countedUntil: Date | null;
  readonly lines: readonly (UsageLine & { readonly currency: string })[];
}

const DAY_MS = 86_400_000;
const USAGE_DAYS = 30;

/**
 * Of the last 30 days up to `to`, which is tomorrow, if nothing else is asked for; days are UTC.
 *
 * @throws OperatorError when a day does not exist, or `from` is after `to`
 */
export async function accountUsageBy(
  database: Database,
  { accountId, ...days }: OfAccount & { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<UsageAnswer> {
  const to = existing(days.to ?? dayOf(Date.now() + DAY_MS));
  const from = existing(days.from ?? dayBefore(to, USAGE_DAYS));
  checkPeriod(from, to);
  const { currency } = await findAccount(database, accountId);
  const { lines, countedUntil } = await accountUsage(database, accountId, from, to);
  const shown = lines.map((line) => ({ ...line, currency }));
  return { accountId, from, to, countedUntil: countedUntil ?? null, lines: shown };
}

function existing(day: string): string {
  if (!isCalendarDay(day)) throw new OperatorError(`there is no day ${day}`);
  return day;
}

export function fxSet(
  database: Database,
  { from, to, rate }: { readonly from: string; readonly to: string; readonly rate: string },
): Promise<FxRate> {
  return setFxRate(database, from, to, rate);
}

export function fxList(database: Database): Promise<readonly FxRate[]> {
  return listFxRates(database);
}

function bookingAnswer(
  accountId: string,
  { deposit: booked, accountName, accountCurrency, available, repeated }: Booking,
) {
  return { ...depositAnswer(accountId, booked, accountCurrency), accountName, creditRemaining: available, repeated };
}

function depositAnswer(accountId: string, booked: BookedDeposit, accountCurrency: string): DepositAnswer {
  return {
    accountId,
    number: Number(booked.depositNumber),
    kind: booked.kind,
    reference: booked.reference ?? null,
    reason: booked.reason ?? null,
    amount: booked.amount,
    currency: booked.currency,
    fxRate: booked.fxRate,
    accountAmount: booked.accountAmount,
    accountCurrency,
    createdAt: booked.createdAt,
  };
}
