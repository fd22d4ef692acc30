import type { Micros } from './money.js';
import { brokenRule, TariffError } from './tariff-error.js';

/** The price of one segment to the numbers that begin with a prefix. */
export interface Rate {
  /** 1 to 15 digits in E.164 form without plus sign, the first of them 1 to 9. */
  readonly prefix: string;
  readonly price: Micros;
  /** What the prefix stands for, for people; it decides nothing. */
  readonly country?: string;
}

/** Prices by prefix, ready to be searched. Made by `buildTariff`. */
export interface Tariff {
  readonly prices: ReadonlyMap<string, Micros>;
  /** The lengths that prefixes have, longest first: at most 15 look-ups find a price. */
  readonly prefixLengths: readonly number[];
}

/**
 * Makes a tariff of rates in any order.
 *
 * @throws TariffError when a prefix is malformed or comes twice, or a price is negative.
 */
export function buildTariff(rates: Iterable<Rate>): Tariff {
  const prices = new Map<string, Micros>();
  const lengths = new Set<number>();
  for (const { prefix, price } of rates) {
    const rule = brokenRule(prefix, price, prices);
    if (rule !== undefined) throw new TariffError([{ line: undefined, rule }]);
    prices.set(prefix, price);
    lengths.add(prefix.length);
  }
  return { prices, prefixLengths: [...lengths].sort((a, b) => b - a) };
}

/**
 * The price of a segment to a number (E.164 digits): that of its longest prefix in the tariff; undefined if none
 * matches.
 */
export function findPrice(tariff: Tariff, e164: string): Micros | undefined {
  for (const length of tariff.prefixLengths) {
    if (length > e164.length) continue;
    const price = tariff.prices.get(e164.slice(0, length));
    if (price !== undefined) return price;
  }
  return undefined;
}
