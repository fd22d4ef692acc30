import { InvalidArgumentError } from 'commander';
import { formatMicros, isCalendarDay, isCurrencyCode, MoneyError, parseMicros, parseRate } from '#billing';

/** Reads an amount above 0, e.g. `12` or `0.0174`. */
export function amount(text: string): string {
  const given = signedAmount(text);
  if (parseMicros(given) <= 0n) throw new InvalidArgumentError('It must be above 0.');
  return given;
}

/** Reads an amount of 0 or above. */
export function amountOrZero(text: string): string {
  const given = signedAmount(text);
  if (parseMicros(given) < 0n) throw new InvalidArgumentError('It must not be below 0.');
  return given;
}

/** Reads an amount that may be below 0. */
export function signedAmount(text: string): string {
  return withMoneyRules(() => formatMicros(parseMicros(text.replace(/^\+/, ''))));
}

/** Checks an exchange rate and keeps its text, because it is stored exactly as given. */
export function exchangeRate(text: string): string {
  withMoneyRules(() => parseRate(text));
  return text;
}

/** Reads a currency code in either case. */
export function currency(text: string): string {
  const code = text.toUpperCase();
  if (!isCurrencyCode(code)) throw new InvalidArgumentError('A currency is a code such as EUR.');
  return code;
}

const COUNT = /^[1-9][0-9]{0,8}$/;

/** Reads a whole number from 1. */
export function count(text: string): number {
  if (!COUNT.test(text)) throw new InvalidArgumentError('It must be a whole number from 1, of at most 9 digits.');
  return Number(text);
}

/** Reads a whole number from 1, or `off`. */
export function countOrOff(text: string): number | 'off' {
  if (text === 'off') return 'off';
  if (!COUNT.test(text))
    throw new InvalidArgumentError('It must be a whole number from 1, of at most 9 digits, or off.');
  return Number(text);
}

/** Reads an amount of 0 or above, or `off`. */
export function amountOrOff(text: string): string {
  return text === 'off' ? 'off' : amountOrZero(text);
}

/** Reads texts with commas between them, or `off`. */
export function listOrOff(text: string): string[] | 'off' {
  if (text === 'off') return 'off';
  const texts = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  // A script with an empty variable must not take everything away.
  if (texts.length === 0) throw new InvalidArgumentError('It must be a list with commas, or off.');
  return texts;
}

/** Reads a month, e.g. `2026-10`. */
export function month(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('A month is written as 2026-10.');
  return text;
}

/** Reads a moment with its zone, e.g. `2026-11-20T03:00:00Z` or `2026-11-20 03:00:00+01:00`. */
export function instant(text: string): Date {
  const isZoned = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)$/.test(text);
  const at = new Date(text.replace(' ', 'T'));
  if (!isZoned || !isCalendarDay(text.slice(0, 'YYYY-MM-DD'.length)) || Number.isNaN(at.getTime())) {
    throw new InvalidArgumentError('A time is written with its zone, on a day that exists, e.g. 2026-11-20T03:00:00Z.');
  }
  return at;
}

/** Reads a duration, e.g. `30s`, `15m`, `24h`, `7d` or `0`, in seconds. */
export function duration(text: string): number {
  const [, count, unit = 's'] = /^(0|[1-9]\d{0,8})([smhd])?$/.exec(text) ?? [];
  if (count === undefined || (count !== '0' && /\d$/.test(text))) {
    throw new InvalidArgumentError('A duration is a number with s, m, h or d, e.g. 24h.');
  }
  return Number(count) * (SECONDS_IN[unit] ?? 1);
}

const SECONDS_IN: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Later years have no ISO 8601 form of four digits. */
const YEAR_MAX = 9_999;

/** Reads a moment with its zone, or a duration from now. */
export function expiry(text: string): Date {
  if (!/^[-+]?\d+[a-z]*$/i.test(text)) return instant(text);
  const at = new Date(Date.now() + duration(text) * 1_000);
  if (!(at.getUTCFullYear() <= YEAR_MAX)) throw new InvalidArgumentError('It must be before the year 10000.');
  return at;
}

/** The same, or `never`. */
export function expiryOrNever(text: string): Date | 'never' {
  return text === 'never' ? 'never' : expiry(text);
}

function withMoneyRules<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof MoneyError) throw new InvalidArgumentError(`${capitalised(error.message)}.`);
    throw error;
  }
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
