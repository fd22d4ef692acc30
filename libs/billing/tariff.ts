import { type Micros, MoneyError, parseMicros } from './money.js';

/** The price of one segment to the numbers that begin with a prefix. */
export interface Rate {
  /** 1 to 15 digits in E.164 form without plus sign, the first of them 1 to 9. */
  readonly prefix: string;
  readonly price: Micros;
}

/** Prices by prefix, ready to be searched. Made by `buildTariff`. */
export interface Tariff {
  readonly prices: ReadonlyMap<string, Micros>;
  /** The lengths that prefixes have, longest first: at most 15 look-ups find a price. */
  readonly prefixLengths: readonly number[];
}

/** A tariff that cannot be used; the message names the line, where there is one, and the rule. */
export class TariffError extends Error {
  /** Line of the CSV, from 1. */
  readonly line: number | undefined;

  constructor(rule: string, line?: number) {
    super(line === undefined ? rule : `line ${line}: ${rule}`);
    this.name = 'TariffError';
    this.line = line;
  }
}

const PREFIX = /^[1-9][0-9]{0,14}$/;
const HEADER = 'prefix,price';

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
    if (rule !== undefined) throw new TariffError(rule);
    prices.set(prefix, price);
    lengths.add(prefix.length);
  }
  return { prices, prefixLengths: [...lengths].sort((a, b) => b - a) };
}

/** The price of a segment to a number (E.164 digits): that of its longest prefix in the tariff; undefined when none fits. */
export function findPrice(tariff: Tariff, e164: string): Micros | undefined {
  for (const length of tariff.prefixLengths) {
    if (length > e164.length) continue;
    const price = tariff.prices.get(e164.slice(0, length));
    if (price !== undefined) return price;
  }
  return undefined;
}

/**
 * Reads a tariff from CSV: the header `prefix,price`, then a rate a line. Blank lines and lines that begin with `#` are
 * skipped; a byte order mark, CRLF and spaces around fields are tolerated.
 *
 * @throws TariffError at the first line that breaks a rule, and when there is no rate at all.
 */
export function parseTariffCsv(csv: string): Rate[] {
  const rates: Rate[] = [];
  const seen = new Map<string, Micros>();
  let headerSeen = false;
  for (const [index, raw] of csv
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    if (!headerSeen) {
      if (line.replace(/\s/g, '') !== HEADER)
        throw new TariffError(`the first line is the header "${HEADER}"`, index + 1);
      headerSeen = true;
      continue;
    }
    const rate = parseLine(line, index + 1);
    const rule = brokenRule(rate.prefix, rate.price, seen);
    if (rule !== undefined) throw new TariffError(rule, index + 1);
    seen.set(rate.prefix, rate.price);
    rates.push(rate);
  }
  if (rates.length === 0) throw new TariffError('a tariff has at least one rate');
  return rates;
}

function parseLine(line: string, number: number): Rate {
  const [prefix, price, ...others] = line.split(',').map((field) => field.trim());
  if (prefix === undefined || price === undefined || others.length > 0) {
    throw new TariffError('a rate has two fields, prefix and price, separated by a comma', number);
  }
  try {
    return { prefix, price: parseMicros(price) };
  } catch (error) {
    if (error instanceof MoneyError)
      throw new TariffError(`the price "${price}" is not valid: ${error.message}`, number);
    throw error;
  }
}

function brokenRule(prefix: string, price: Micros, seen: ReadonlyMap<string, Micros>): string | undefined {
  if (!PREFIX.test(prefix)) return `the prefix "${prefix}" is not 1 to 15 digits beginning with 1 to 9`;
  if (price < 0n) return `the price of the prefix ${prefix} is below 0`;
  if (seen.has(prefix)) return `the prefix ${prefix} has a price already`;
  return undefined;
}
