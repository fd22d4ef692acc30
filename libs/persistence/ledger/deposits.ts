import {
  adjustmentEntry,
  convertMicros,
  formatMicros,
  type JournalEntry,
  journalEntry,
  MICROS_MAX,
  MICROS_MIN,
  type Micros,
} from '#billing';
import { internalAccount, lockAccount } from '../accounts/lock-account.js';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { findFxRate } from '../tariffs/fx-rates.js';

/** Money as it was booked. */
export interface BookedDeposit {
  /** Dense per account, from 1. */
  readonly depositNumber: bigint;
  readonly kind: 'deposit' | 'adjustment';
  readonly reference: string | undefined;
  readonly reason: string | undefined;
  /** The paid amount, in `currency`. Negative only for an adjustment. */
  readonly amount: Micros;
  readonly currency: string;
  /** Units of the account's currency for one unit of `currency`, at the time of booking. */
  readonly fxRate: string;
  /** The booked amount, in the account's currency. */
  readonly accountAmount: Micros;
  readonly createdAt: Date;
}

export interface Booking {
  readonly deposit: BookedDeposit;
  readonly accountName: string;
  readonly accountCurrency: string;
  /** `creditRemaining` at the moment of the answer. */
  readonly available: Micros;
  /** The reference or the key of the request was booked before, so nothing was booked now. */
  readonly repeated: boolean;
}

export interface DepositRow {
  deposit_number: string;
  kind: 'deposit' | 'adjustment';
  reference: string | null;
  reason: string | null;
  amount: string;
  currency: string;
  fx_rate: string;
  account_amount: string;
  created_at: Date;
}

type LockedRow = Record<'name' | 'currency' | 'deposited' | 'available' | 'credit_limit', string> & {
  internal: boolean;
};

interface LockedBalance {
  readonly accountId: string;
  readonly name: string;
  readonly currency: string;
  readonly deposited: Micros;
  readonly available: Micros;
  readonly creditLimit: Micros;
}

const REFERENCE_LENGTH_MAX = 255;
const REASON_LENGTH_MAX = 500;

export const DEPOSIT_COLUMNS = `deposit_number, kind, reference, reason, amount, currency, trim_scale(fx_rate)::text as fx_rate,
  account_amount, created_at`;

/** A booking that may be asked for again: whatever has the same key is booked once. */
interface Repeatable {
  readonly requestKey?: string | undefined;
}

/**
 * Books a deposit. Another currency is converted once, at the operator's current rate, which is stored. With a
 * reference, or a key of the request, it is safe to repeat: the same one answers with the first booking.
 *
 * @throws OperatorError when the account or the rate is unknown, the account is closed or has no client, the amount is
 * not above 0, or the reference or the key was used for another amount or currency
 */
export async function bookDeposit(
  database: Database,
  accountId: string,
  wanted: { readonly amount: Micros; readonly currency: string; readonly reference?: string } & Repeatable,
): Promise<Booking> {
  const { amount, currency, reference, requestKey } = wanted;
  if (amount <= 0n) throw new OperatorError('a deposit is above 0 (`smsctl adjust` corrects a balance)');
  if (reference !== undefined) checkLength('reference', reference, REFERENCE_LENGTH_MAX);

  return database.transaction(async (transaction) => {
    const balance = await lockBalance(transaction, accountId);
    const asked = { kind: 'deposit', reference, reason: undefined, amount, currency } as const;
    const before = await findByKey(transaction, accountId, requestKey);
    if (before !== undefined) return repeatedBooking(before, balance, asked);
    if (reference !== undefined) {
      const first = await findDeposit(transaction, accountId, reference);
      if (first !== undefined) return repeatedBooking(first, balance, asked);
    }
    const fxRate = await findFxRate(transaction, currency, balance.currency);
    const accountAmount = convertMicros(amount, fxRate);
    if (accountAmount === 0n) throw new OperatorError(`the amount rounds to 0 ${balance.currency}`);
    const deposit = { ...asked, fxRate, accountAmount, requestKey };
    return book(transaction, balance, journalEntry('deposit', accountAmount), deposit);
  });
}

/** An adjustment that is probably a mistake; it was not booked. */
export class UnusualAdjustment extends OperatorError {
  constructor(reason: string) {
    super(reason, 'unusual');
  }
}

/**
 * Corrects a balance by a signed amount in the account's currency; it may take the balance below its credit limit.
 *
 * @throws UnusualAdjustment unless `isMeant`, when it takes the balance below 0, or is larger than all deposits so far
 * @throws OperatorError when the account is unknown, closed or has no client, the amount is 0 or the reason is
 * missing
 */
export async function adjustBalance(
  database: Database,
  accountId: string,
  wanted: { readonly amount: Micros; readonly reason: string; readonly isMeant?: boolean } & Repeatable,
): Promise<Booking> {
  const { amount, reason, isMeant = false, requestKey } = wanted;
  if (amount === 0n) throw new OperatorError('an adjustment cannot be 0');
  checkLength('reason', reason, REASON_LENGTH_MAX);

  return database.transaction(async (transaction) => {
    const balance = await lockBalance(transaction, accountId);
    const { currency } = balance;
    const asked = { kind: 'adjustment', reference: undefined, reason, amount, currency } as const;
    const before = await findByKey(transaction, accountId, requestKey);
    if (before !== undefined) return repeatedBooking(before, balance, asked);
    if (!isMeant) checkUsual(balance, amount);
    const deposit = { ...asked, fxRate: '1', accountAmount: amount, requestKey };
    return book(transaction, balance, adjustmentEntry(amount), deposit);
  });
}

function checkUsual({ accountId, deposited, available, currency }: LockedBalance, amount: Micros): void {
  const after = available + amount;
  const words = `adjusting account ${accountId} by ${formatMicros(amount)} ${currency}`;
  if (amount < 0n && after < 0n) {
    throw new UnusualAdjustment(`${words} takes its balance from ${formatMicros(available)} to ${formatMicros(after)}`);
  }
  if (deposited > 0n && (amount < 0n ? -amount : amount) > deposited) {
    throw new UnusualAdjustment(`${words} is more than all that was deposited so far (${formatMicros(deposited)})`);
  }
}

async function lockBalance(transaction: Queryable, accountId: string): Promise<LockedBalance> {
  await lockAccount(transaction, accountId);
  const [row] = await transaction.query<LockedRow>(
    `select a.name, a.internal, a.currency, b.deposited, b.deposited - b.reserved - b.captured as available, b.credit_limit
       from account_balance b join account a using (account_id) where b.account_id = $1`,
    [accountId],
  );
  if (row === undefined) throw new Error('unreachable: the balance row is locked');
  if (row.internal) throw internalAccount(accountId);
  const { name, currency } = row;
  const [deposited, available, creditLimit] = [BigInt(row.deposited), BigInt(row.available), BigInt(row.credit_limit)];
  return { accountId, name, currency, deposited, available, creditLimit };
}

async function findDeposit(
  transaction: Queryable,
  accountId: string,
  reference: string,
): Promise<DepositRow | undefined> {
  const rows = await transaction.query<DepositRow>(
    `select ${DEPOSIT_COLUMNS} from deposit where account_id = $1 and reference = $2`,
    [accountId, reference],
  );
  return rows[0];
}

/** The account is locked, so no request with the same key books at the same time. */
async function findByKey(
  transaction: Queryable,
  accountId: string,
  requestKey: string | undefined,
): Promise<DepositRow | undefined> {
  if (requestKey === undefined) return undefined;
  const [row] = await transaction.query<DepositRow>(
    `select ${DEPOSIT_COLUMNS} from deposit where account_id = $1 and request_key = $2`,
    [accountId, requestKey],
  );
  return row;
}

function repeatedBooking(
  first: DepositRow,
  balance: LockedBalance,
  {
    kind,
    reference,
    reason,
    amount,
    currency,
  }: Pick<BookedDeposit, 'kind' | 'reference' | 'reason' | 'amount' | 'currency'>,
): Booking {
  if (first.kind !== kind || first.reference !== (reference ?? null) || first.reason !== (reason ?? null)) {
    throw new OperatorError('the key of the request was booked before for another payment');
  }
  if (BigInt(first.amount) !== amount || first.currency !== currency) {
    const what = reference === undefined ? 'key of the request' : `reference ${reference}`;
    throw new OperatorError(`the ${what} was booked before with another amount or currency`);
  }
  return {
    deposit: depositOf(first),
    accountName: balance.name,
    accountCurrency: balance.currency,
    available: balance.available,
    repeated: true,
  };
}

/**
 * The deposit, its journal entry and the balance in one statement; then the event of a balance that has become low. The
 * caller holds the balance row.
 */
export async function book(
  transaction: Queryable,
  balance: LockedBalance,
  entry: JournalEntry,
  deposit: Omit<BookedDeposit, 'depositNumber' | 'createdAt'> & Repeatable,
): Promise<Booking> {
  const total = balance.deposited + deposit.accountAmount;
  const after = balance.available + deposit.accountAmount;
  // The accept adds the credit limit.
  if (total + balance.creditLimit > MICROS_MAX || after < MICROS_MIN || entry.amount > MICROS_MAX) {
    throw new OperatorError('the balance and the credit limit together would not fit 64 bits');
  }
  const [row] = await transaction.query<DepositRow & { available: string }>(
    `with balance as (
       update account_balance
          set deposited = deposited + $2, last_deposit = last_deposit + 1, last_entry = last_entry + 1
        where account_id = $1
       returning last_deposit, last_entry, deposited - reserved - captured as available
     ), journal as (
       insert into journal_entry (account_id, entry, kind, debit, credit, amount, available_after, deposit_number, reason)
       select $1, b.last_entry, $3::entry_kind, $4::ledger_bucket, $5::ledger_bucket, $6, b.available, b.last_deposit, $7
         from balance b
     ), booked as (
       insert into deposit (account_id, deposit_number, kind, reference, reason, amount, currency, fx_rate, account_amount,
                            request_key)
       select $1, b.last_deposit, $8, $9, $7, $10, $11, $12, $2, $13 from balance b
       returning ${DEPOSIT_COLUMNS}
     )
     select k.*, b.available from booked k, balance b`,
    [
      balance.accountId,
      deposit.accountAmount,
      entry.kind,
      entry.debit,
      entry.credit,
      entry.amount,
      deposit.reason ?? null,
      deposit.kind,
      deposit.reference ?? null,
      deposit.amount,
      deposit.currency,
      deposit.fxRate,
      deposit.requestKey ?? null,
    ],
  );
  if (row === undefined) throw new Error('unreachable: the balance row is locked');
  const available = BigInt(row.available);
  if (available < balance.available) {
    await transaction.query('select write_balance_low($1, $2, $3)', [balance.accountId, balance.available, available]);
  }
  const { name: accountName, currency: accountCurrency } = balance;
  return { deposit: depositOf(row), accountName, accountCurrency, available, repeated: false };
}

export function depositOf(row: DepositRow): BookedDeposit {
  return {
    depositNumber: BigInt(row.deposit_number),
    kind: row.kind,
    reference: row.reference ?? undefined,
    reason: row.reason ?? undefined,
    amount: BigInt(row.amount),
    currency: row.currency,
    fxRate: row.fx_rate,
    accountAmount: BigInt(row.account_amount),
    createdAt: row.created_at,
  };
}

function checkLength(what: string, text: string, max: number): void {
  if (text.trim() === '' || text.length > max) throw new OperatorError(`a ${what} has 1 to ${max} characters`);
}
