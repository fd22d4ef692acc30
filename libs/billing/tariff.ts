import type { Micros } from './money.js';
import type { Tariff } from './pricing.js';

/** The price of one segment to the numbers that begin with a prefix. */
export interface Rate {
  /** 1 to 15 digits in E.164 form without plus sign, the first of them 1 to 9. */
  readonly prefix: string;
  readonly price: Micros;
  /** What the prefix stands for, for people; it decides nothing. */
  readonly country?: string;
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

/** One thing that is wrong with a tariff. */
export interface TariffFault {
  /** Line of the CSV, from 1; undefined: it is of no line. */
  readonly line: number | undefined;
  readonly rule: string;
}

/** A tariff that cannot be used; the message names every line that breaks a rule, up to 20, and the rule. */
export class TariffError extends Error {
  constructor(readonly faults: readonly TariffFault[]) {
    const shown = faults
      .slice(0, FAULTS_SHOWN_MAX)
      .map(({ line, rule }) => (line === undefined ? rule : `line ${line}: ${rule}`));
    const left = faults.length - shown.length;
    super([...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('; '));
    this.name = 'TariffError';
  }
}

const FAULTS_SHOWN_MAX = 20;
const PREFIX = /^[1-9][0-9]{0,14}$/;

/** The rule that a rate breaks; `seen` has the prefixes before it. */
export function brokenRule(prefix: string, price: Micros, seen: ReadonlyMap<string, Micros>): string | undefined {
  if (!PREFIX.test(prefix)) return `the prefix "${prefix}" is not 1 to 15 digits beginning with 1 to 9`;
  if (price < 0n) return `the price of the prefix ${prefix} is below 0`;
  if (seen.has(prefix)) return `the prefix ${prefix} has a price already`;
  return undefined;
}
