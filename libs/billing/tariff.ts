import { type Micros, MoneyError, parseMicros } from './money.js';

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

/** One thing that is wrong with a tariff. */
interface TariffFault {
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
const HEADERS = ['prefix,price', 'prefix,price,country'];
const COUNTRY = /^\p{L}[^\p{Cc}]{0,99}$/u;

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

/**
 * Reads a tariff from CSV: the header `prefix,price` or `prefix,price,country`, then one rate a line. Blank lines and
 * lines that begin with `#` are skipped; a byte order mark, CRLF and spaces around fields are tolerated. A country may
 * be empty, contain commas, and stand in double quotes.
 *
 * @throws TariffError with every line that breaks a rule, and if there is no rate at all.
 */
export function parseTariffCsv(csv: string): Rate[] {
  const lines = csv
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((raw, index) => ({ text: raw.trim(), line: index + 1 }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
  const [header, ...rest] = lines;
  if (header === undefined) throw new TariffError([{ line: undefined, rule: 'a tariff has at least one rate' }]);
  const columns = header.text.replace(/\s/g, '');
  if (!HEADERS.includes(columns)) {
    throw new TariffError([{ line: header.line, rule: `the first line is the header "${HEADERS.join('" or "')}"` }]);
  }
  const rates: Rate[] = [];
  const faults: TariffFault[] = [];
  const seen = new Map<string, Micros>();
  for (const { text, line } of rest) {
    const rate = parseLine(text, columns !== HEADERS[0]);
    const rule = typeof rate === 'string' ? rate : brokenRule(rate.prefix, rate.price, seen);
    if (rule !== undefined) faults.push({ line, rule });
    else if (typeof rate !== 'string') {
      seen.set(rate.prefix, rate.price);
      rates.push(rate);
    }
  }
  if (faults.length > 0) throw new TariffError(faults);
  if (rates.length === 0) throw new TariffError([{ line: undefined, rule: 'a tariff has at least one rate' }]);
  return rates;
}

/** The rate of a line, or the rule that it breaks. */
function parseLine(text: string, hasCountry: boolean): Rate | string {
  const [prefix, price, ...others] = text.split(',').map((field) => field.trim());
  if (prefix === undefined || price === undefined || (!hasCountry && others.length > 0)) {
    return `a rate has ${hasCountry ? 'three fields, prefix, price and country,' : 'two fields, prefix and price,'} separated by a comma`;
  }
  const country = others
    .join(', ')
    .replace(/^"(.*)"$/, '$1')
    .trim();
  // A decimal comma would be read as a price of 0 and a country of digits.
  if (country !== '' && !COUNTRY.test(country)) {
    return `the country "${country}" does not begin with a letter, or is longer than 100 characters`;
  }
  try {
    return { prefix, price: parseMicros(price), ...(country !== '' && { country }) };
  } catch (error) {
    if (error instanceof MoneyError) return `the price "${price}" is not valid: ${error.message}`;
    throw error;
  }
}

function brokenRule(prefix: string, price: Micros, seen: ReadonlyMap<string, Micros>): string | undefined {
  if (!PREFIX.test(prefix)) return `the prefix "${prefix}" is not 1 to 15 digits beginning with 1 to 9`;
  if (price < 0n) return `the price of the prefix ${prefix} is below 0`;
  if (seen.has(prefix)) return `the prefix ${prefix} has a price already`;
  return undefined;
}
