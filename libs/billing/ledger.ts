import type { Micros } from './money.js';

/** Where money of an account is: outside, free to spend, reserved for open messages, or spent. */
type Bucket = 'funding' | 'available' | 'reserved' | 'captured';

/** Money moves from `debit` to `credit`; an entry with `eitherWay` may also move it back. */
interface JournalRule {
  readonly debit: Bucket;
  readonly credit: Bucket;
  readonly eitherWay: boolean;
}

/**
 * Every kind of journal entry. Each debits one bucket and credits another, so an unbalanced entry cannot be written.
 */
export const JOURNAL_KINDS = {
  /** Money comes in, in the account's currency after conversion. */
  deposit: { debit: 'funding', credit: 'available', eitherWay: false },
  /** A message is accepted. */
  reserve: { debit: 'available', credit: 'reserved', eitherWay: false },
  /** The carrier took the message. */
  capture: { debit: 'reserved', credit: 'captured', eitherWay: false },
  /** The message, or a part of it, never left. */
  release: { debit: 'reserved', credit: 'available', eitherWay: false },
  /** A captured charge is given back. */
  refund: { debit: 'captured', credit: 'available', eitherWay: false },
  /** An operator's correction. It counts as a deposit, so that consumption stays the sum of the message amounts. */
  adjust: { debit: 'funding', credit: 'available', eitherWay: true },
} as const satisfies Record<string, JournalRule>;

export type JournalKind = keyof typeof JOURNAL_KINDS;

export interface JournalEntry {
  readonly kind: JournalKind;
  readonly debit: Bucket;
  readonly credit: Bucket;
  /** Above 0. */
  readonly amount: Micros;
}

/** The money columns of an account's row; everything else is computed from them. */
export interface Balances {
  /** Deposits and adjustments. Below 0 only by an adjustment. */
  readonly deposited: Micros;
  readonly reserved: Micros;
  readonly captured: Micros;
}

/** What the account may still spend, before its credit limit; can be negative. */
export function creditRemaining({ deposited, reserved, captured }: Balances): Micros {
  return deposited - reserved - captured;
}

/** What messages have cost: deposits minus the credit that remains. */
export function totalConsumed({ reserved, captured }: Balances): Micros {
  return reserved + captured;
}

/**
 * An operator's adjustment as a journal entry: a signed amount gives the direction, and the entry's amount is positive.
 */
export function adjustmentEntry(signedAmount: Micros): JournalEntry {
  const { debit, credit } = JOURNAL_KINDS.adjust;
  if (signedAmount < 0n) return { kind: 'adjust', debit: credit, credit: debit, amount: -signedAmount };
  return { kind: 'adjust', debit, credit, amount: signedAmount };
}

/** An entry of any other kind, which goes one way only. */
export function journalEntry(kind: Exclude<JournalKind, 'adjust'>, amount: Micros): JournalEntry {
  const { debit, credit } = JOURNAL_KINDS[kind];
  return { kind, debit, credit, amount };
}
