/** A new account has a pace once it has sent on so many days: one campaign says nothing about the next. */
const DAYS_SENT_MIN = 7;

export interface Spend {
  /** In micro-units, on the days below. */
  readonly micros: bigint;
  /** Every day of the period, in order. */
  readonly days: readonly string[];
  /** Those on which something was sent. */
  readonly daysSent: ReadonlySet<string>;
  /** Nothing was sent before these days: the pace is then that of the days since the first send. */
  readonly isNew: boolean;
}

/**
 * For how many days a balance in micro-units lasts at this pace; undefined if nothing was spent, or a new account has
 * sent on too few days.
 */
export function daysLeft(balance: bigint, { micros, days, daysSent, isNew }: Spend): number | undefined {
  if (micros <= 0n || (isNew && daysSent.size < DAYS_SENT_MIN)) return undefined;
  const paced = isNew ? days.length - days.findIndex((day) => daysSent.has(day)) : days.length;
  return Number((balance * BigInt(paced)) / micros);
}
