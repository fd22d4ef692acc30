/** An amount of money in millionths of a currency unit: 1 EUR is 1,000,000n. */
export type Micros = bigint;

/** Bounds of PostgreSQL's int8, in which every amount is stored. */
export const MICROS_MAX: Micros = 9_223_372_036_854_775_807n;
export const MICROS_MIN: Micros = -9_223_372_036_854_775_808n;

const DECIMALS = 6;
const MICROS_PER_UNIT = 1_000_000n;
const RATE_DECIMALS = 12;
const RATE_SCALE = 1_000_000_000_000n;
const TEXT_LENGTH_MAX = 40;

/** A text or a result that is not an amount of money; the message names the rule. */
export class MoneyError extends Error {
  constructor(rule: string) {
    super(rule);
    this.name = 'MoneyError';
  }
}

/**
 * Reads a decimal amount such as `12`, `0.0174` or `-0.5`.
 *
 * @throws MoneyError when it is not a plain decimal, has more than 6 decimals, or does not fit 64 bits.
 */
export function parseMicros(text: string): Micros {
  const match = text.length <= TEXT_LENGTH_MAX ? /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) : null;
  if (match === null) throw new MoneyError('an amount is a decimal number such as 12 or 0.0174, without exponent');
  const [, sign, whole = '', fraction = ''] = match;
  if (fraction.length > DECIMALS) throw new MoneyError('an amount has at most 6 decimals');
  const magnitude = BigInt(whole + fraction.padEnd(DECIMALS, '0'));
  return within64Bits(sign === '-' ? -magnitude : magnitude);
}

/** Renders an amount without exponent and without trailing zeros (`0.0174`, `12`, `-0.5`); also a valid JSON number. */
export function formatMicros(amount: Micros): string {
  const magnitude = amount < 0n ? -amount : amount;
  const sign = amount < 0n ? '-' : '';
  const whole = `${sign}${magnitude / MICROS_PER_UNIT}`;
  const fraction = magnitude % MICROS_PER_UNIT;
  if (fraction === 0n) return whole;
  return `${whole}.${fraction.toString().padStart(DECIMALS, '0').replace(/0+$/, '')}`;
}

/**
 * Reads an exchange rate, in units of 10^-12.
 *
 * @throws MoneyError when it is not a positive decimal of at most 12 digits before the point and 12 after it.
 */
export function parseRate(text: string): bigint {
  const match = /^(\d{1,12})(?:\.(\d{1,12}))?$/.exec(text);
  const [, whole = '', fraction = ''] = match ?? [];
  const rate = match === null ? 0n : BigInt(whole + fraction.padEnd(RATE_DECIMALS, '0'));
  if (rate === 0n)
    throw new MoneyError('a rate is a decimal number above 0 with at most 12 digits before the point and 12 after it');
  return rate;
}

/**
 * Converts an amount at a rate (units of the target currency for one unit of the source), exactly, then rounds once to
 * whole micro-units, halves to even.
 *
 * @throws MoneyError when the rate is none or the result does not fit 64 bits.
 */
export function convertMicros(amount: Micros, rate: string): Micros {
  const product = amount * parseRate(rate);
  const magnitude = product < 0n ? -product : product;
  const quotient = magnitude / RATE_SCALE;
  const twiceRemainder = (magnitude % RATE_SCALE) * 2n;
  const roundsUp = twiceRemainder > RATE_SCALE || (twiceRemainder === RATE_SCALE && quotient % 2n === 1n);
  const rounded = roundsUp ? quotient + 1n : quotient;
  return within64Bits(product < 0n ? -rounded : rounded);
}

/** Whether a text has the form of an ISO 4217 currency code: three upper-case letters. */
export function isCurrencyCode(code: string): boolean {
  return /^[A-Z]{3}$/.test(code);
}

function within64Bits(amount: Micros): Micros {
  if (amount < MICROS_MIN || amount > MICROS_MAX) {
    throw new MoneyError('an amount is between -9223372036854.775808 and 9223372036854.775807');
  }
  return amount;
}
