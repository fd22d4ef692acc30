import { countryOf, isCountry } from './countries.js';
import type { GuardViolation } from './errors.js';
import { formatMicros, MICROS_MAX, type Micros, MoneyError, parseMicros } from './money.js';
import type { MessageQuote } from './pricing.js';

/**
 * The guards of an account, as an operator sets them. Left out: those for all accounts hold; null: none, whatever holds
 * for all. Amounts are decimals of the account's currency.
 */
export interface GuardSettings {
  /** ISO 3166-1 alpha-2, or `001` for numbers of no country. Messages go to these only. */
  readonly countries?: readonly string[] | null;
  /** The highest price of one segment. */
  readonly priceMax?: string | null;
  /** What the messages that are accepted in a day, or in a month, may cost. Days and months are those of UTC. */
  readonly spendDayMax?: string | null;
  readonly spendMonthMax?: string | null;
  /** Messages to one number in an hour of the clock. */
  readonly recipientHourMax?: number | null;
  /** Messages to one range of numbers in an hour of the clock. */
  readonly rangeHourMax?: number | null;
  /** Numbers that differ in their last so many digits only are one range. */
  readonly rangeDigits?: number | null;
  /**
   * For so many days after its creation an account may spend `rampSpendDay` on the first day, twice that on the second.
   */
  readonly rampDays?: number | null;
  readonly rampSpendDay?: string | null;
}

export type GuardName = keyof GuardSettings;

/** The guards that hold for an account now. */
export interface Guards {
  readonly countries?: ReadonlySet<string>;
  readonly priceMax?: Micros;
  readonly spendDayMax?: Micros;
  readonly spendMonthMax?: Micros;
  readonly recipientHourMax?: number;
  readonly rangeHourMax?: number;
  readonly rangeDigits: number;
}

/** A setting that is not valid; the message says why. */
export class GuardError extends Error {
  constructor(
    readonly guard: GuardName,
    rule: string,
  ) {
    super(rule);
    this.name = 'GuardError';
  }
}

/** Blocks of 10,000 numbers are what most regulators hand out. */
export const RANGE_DIGITS_DEFAULT = 4;
const RANGE_DIGITS_MAX = 6;
const HOUR_MAX = 10_000_000;
const RAMP_DAYS_MAX = 365;

const whole = (guard: GuardName, max: number) => (value: unknown) => {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max) return value;
  throw new GuardError(guard, `${guard} is a whole number from 1 to ${max}`);
};
const amount = (guard: GuardName) => (value: unknown) => {
  try {
    const micros = parseMicros(String(value));
    if (typeof value === 'string' && micros >= 0n) return formatMicros(micros);
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
  }
  throw new GuardError(guard, `${guard} is a decimal amount of at least 0, such as "10" or "0.05"`);
};

/** Every guard, with its check: it returns the value in its usual form. */
const CHECKS: Readonly<Record<GuardName, (value: unknown) => unknown>> = {
  countries: checkedCountries,
  priceMax: amount('priceMax'),
  spendDayMax: amount('spendDayMax'),
  spendMonthMax: amount('spendMonthMax'),
  recipientHourMax: whole('recipientHourMax', HOUR_MAX),
  rangeHourMax: whole('rangeHourMax', HOUR_MAX),
  rangeDigits: whole('rangeDigits', RANGE_DIGITS_MAX),
  rampDays: whole('rampDays', RAMP_DAYS_MAX),
  rampSpendDay: amount('rampSpendDay'),
};

export const GUARD_NAMES = Object.keys(CHECKS) as GuardName[];

/**
 * The settings in their usual form, without what is left out.
 *
 * @throws GuardError when a value is not valid
 */
export function checkedGuards(given: Readonly<Partial<Record<GuardName, unknown>>>): GuardSettings {
  return Object.fromEntries(
    GUARD_NAMES.filter((name) => given[name] !== undefined).map((name) => [
      name,
      given[name] === null ? null : CHECKS[name](given[name]),
    ]),
  );
}

/**
 * The guards that hold for an account on a day; undefined: none does.
 *
 * @param settings its own in front of those for all
 * @param ageDays 0 on the day on which it was created
 */
export function guardsOf(settings: GuardSettings, ageDays: number): Guards | undefined {
  const micros = (text: string | null | undefined) => (text == null ? undefined : parseMicros(text));
  const { countries, rampDays, rampSpendDay } = settings;
  const ramp =
    rampDays != null && rampSpendDay != null && ageDays < rampDays
      ? smaller(parseMicros(rampSpendDay) * BigInt(ageDays + 1), MICROS_MAX)
      : undefined;
  const guards = {
    countries: countries == null ? undefined : new Set(countries),
    priceMax: micros(settings.priceMax),
    spendDayMax: smaller(micros(settings.spendDayMax), ramp),
    spendMonthMax: micros(settings.spendMonthMax),
    recipientHourMax: settings.recipientHourMax ?? undefined,
    rangeHourMax: settings.rangeHourMax ?? undefined,
  };
  const set = Object.entries(guards).filter(([, value]) => value !== undefined);
  if (set.length === 0) return undefined;
  return { ...Object.fromEntries(set), rangeDigits: settings.rangeDigits ?? RANGE_DIGITS_DEFAULT };
}

/** The guard that a message breaks by its number and its price alone; undefined: none. */
export function brokenGuard(
  { countries, priceMax }: Guards,
  { destination, unitPrice }: Pick<MessageQuote, 'destination' | 'unitPrice'>,
): GuardViolation | undefined {
  if (countries !== undefined && !countries.has(countryOf(destination) ?? '')) return DESTINATION_BLOCKED;
  return priceMax !== undefined && unitPrice > priceMax ? PRICE_BLOCKED : undefined;
}

/** The range of a number: all numbers of its length that begin like it. */
export function rangeOf(e164: string, rangeDigits: number): string {
  return `${e164.slice(0, -rangeDigits)}${'x'.repeat(rangeDigits)}`;
}

const DESTINATION_BLOCKED: GuardViolation = {
  code: 'destination_blocked',
  field: 'recipient',
  detail: 'The guards of this account do not allow messages to the country of this number.',
};

const PRICE_BLOCKED: GuardViolation = {
  code: 'price_above_max',
  field: 'recipient',
  detail: 'A segment to this destination costs more than the guards of this account allow.',
};

function checkedCountries(value: unknown): readonly string[] {
  const codes = Array.isArray(value) ? value.map((code) => String(code).toUpperCase()) : [];
  const unknown = codes.find((code) => !isCountry(code));
  if (codes.length > 0 && unknown === undefined) return [...new Set(codes)].sort();
  const why = unknown === undefined ? '' : `; ${unknown.slice(0, 20)} is none`;
  throw new GuardError('countries', `countries is a list of country codes such as GB, or 001 for satellites${why}`);
}

function smaller(one: Micros | undefined, other: Micros | undefined): Micros | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
