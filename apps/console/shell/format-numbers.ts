import { formatMicros, parseMicros } from '#billing';
import { locale } from './locale.js';

const counts = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const rates = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const formatCount = (count: number): string => counts.format(count);
/** 12,345 as `12.3K`, for the axes of charts. */
export const formatShort = (count: number): string => short.format(count);
/** How often something happens in a second. */
export const formatRate = (perSecond: number): string => rates.format(perSecond);
export const formatPercent = (share: number): string => percent.format(share);

/** An amount of the API in micro-units, exactly: no sum is made of floating numbers. */
export function microsOf(amount: number | string): bigint {
  return parseMicros(typeof amount === 'string' ? amount : decimalOf(amount));
}

/**
 * Money with its currency in the reader's way of writing: two decimals or, where there are more, as many as the amount
 * has. Balances pass `round` and always have two.
 */
export function formatMoney(
  amount: number | string | bigint,
  currency: string,
  options: { readonly round?: boolean; readonly sign?: boolean } = {},
): string {
  const { round = false, sign = false } = options;
  const decimal =
    typeof amount === 'bigint' ? formatMicros(amount) : typeof amount === 'string' ? amount : decimalOf(amount);
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    ...(sign && { signDisplay: 'exceptZero' as const }),
    ...(!round && { maximumFractionDigits: 6 }),
  });
  // A decimal string keeps every digit; the types of TypeScript ask for a template of digits.
  return format.format(decimal as `${number}`);
}

/** Money for each of some things, to a hundredth of a hundredth: more digits say nothing about an average. */
export function averageOf(micros: bigint, count: number): bigint {
  const each = micros / BigInt(Math.max(1, count));
  return ((each + 50n) / 100n) * 100n;
}

/** What stands before decimals. */
export const decimalPoint =
  new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';

const averages = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });

export const formatAverage = (sum: number, count: number): string => averages.format(count === 0 ? 0 : sum / count);

/** Without an exponent, which the smallest amount (0.000001) does not reach in JavaScript. */
function decimalOf(amount: number): string {
  return String(amount);
}

/** A number of a handset as people write it, also one that is redacted. Short numbers and names stay as they are. */
export const formatNumber = (number: string): string =>
  /^[1-9]([0-9]{7,14}|[0-9]+\*{6})$/.test(number) ? `+${number}` : number;

/** "1 account", "2 accounts". */
export function counted(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
