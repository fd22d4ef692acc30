import type { Guards } from './guards.js';
import { brokenGuard, rangeOf } from './guards.js';
import type { Micros } from './money.js';

/** A message that was accepted in the past, or is imagined. */
export interface TriedMessage {
  /** Milliseconds since 1970. Messages come in the order of their times. */
  readonly atMs: number;
  /** E.164 digits; of a redacted number the first ones, and asterisks. */
  readonly destination: string;
  readonly unitPrice: Micros;
  readonly price: Micros;
}

export type TrialVerdict = 'destination_blocked' | 'price_above_max' | 'velocity_limit' | 'spend_limit';

const HOUR_MS = 3_600_000;

/**
 * Tries guards on messages of one account, one after another, as a commit would judge them if each came alone. What is
 * refused counts for nothing. Remembers the numbers of one hour.
 */
export class GuardTrial {
  private readonly counts = new Map<string, number>();
  private hour = 0;
  private day = '';
  private spentDay: Micros = 0n;
  private spentMonth: Micros = 0n;

  /** Undefined: no guard refuses it. */
  judge(guards: Guards, { atMs, destination, unitPrice, price }: TriedMessage): TrialVerdict | undefined {
    const broken = brokenGuard(guards, { destination, unitPrice });
    if (broken !== undefined) return broken.code;
    this.turnTo(atMs);
    // Thousands of numbers are the same one when they are redacted.
    const counted = destination.endsWith('*') ? [] : countedKeys(guards, destination);
    if (counted.some(({ key, max }) => (this.counts.get(key) ?? 0) >= max)) return 'velocity_limit';
    const { spendDayMax, spendMonthMax } = guards;
    if (spendDayMax !== undefined && this.spentDay + price > spendDayMax) return 'spend_limit';
    if (spendMonthMax !== undefined && this.spentMonth + price > spendMonthMax) return 'spend_limit';
    for (const { key } of counted) this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    this.spentDay += price;
    this.spentMonth += price;
    return undefined;
  }

  private turnTo(atMs: number): void {
    const hour = Math.floor(atMs / HOUR_MS);
    if (hour === this.hour) return;
    this.hour = hour;
    this.counts.clear();
    const day = new Date(atMs).toISOString().slice(0, 10);
    if (day !== this.day) this.spentDay = 0n;
    if (day.slice(0, 7) !== this.day.slice(0, 7)) this.spentMonth = 0n;
    this.day = day;
  }
}

interface CountedBy {
  readonly key: string;
  readonly max: number;
}

/** What a message is counted by, with the most of an hour: its number, and the range of its number. */
export function countedKeys(
  { recipientHourMax, rangeHourMax, rangeDigits }: Guards,
  destination: string,
): readonly CountedBy[] {
  const keys: CountedBy[] = [];
  if (recipientHourMax !== undefined) keys.push({ key: destination, max: recipientHourMax });
  if (rangeHourMax !== undefined) keys.push({ key: rangeOf(destination, rangeDigits), max: rangeHourMax });
  return keys;
}
