import { type Micros, MoneyError, parseMicros } from './money.js';
import { brokenRule, type Rate, TariffError, type TariffFault } from './tariff.js';

const HEADERS = ['prefix,price', 'prefix,price,country'];
const COUNTRY = /^\p{L}[^\p{Cc}]{0,99}$/u;

/**
 * Reads a tariff from CSV: the header `prefix,price` or `prefix,price,country`, then one rate a line. Blank lines and
 * lines that begin with `#` are skipped; a byte order mark, CRLF, and spaces and double quotes around fields are
 * tolerated. A country may be empty and contain commas.
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
  if (header === undefined) throw new TariffError([{ line: undefined, rule: 'the file has no rate' }]);
  const columns = header.text.replace(/[\s"]/g, '');
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
  if (rates.length === 0) throw new TariffError([{ line: undefined, rule: 'the file has no rate' }]);
  return rates;
}

/** The rate of a line, or the rule that it breaks. */
function parseLine(text: string, hasCountry: boolean): Rate | string {
  const [prefix, price, ...others] = text.split(',').map(unquoted);
  if (prefix === undefined || price === undefined || (!hasCountry && others.length > 0)) {
    return `a rate has ${hasCountry ? 'three fields, prefix, price and country,' : 'two fields, prefix and price,'} separated by a comma`;
  }
  const country = unquoted(others.join(', '));
  // What stands for octets that are no UTF-8, as in a file of Windows.
  if (country.includes('\ufffd')) return `the country "${country}" is not UTF-8: save the file as UTF-8`;
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

function unquoted(field: string): string {
  return field
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
}
