import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildTariff, findPrice, parseTariffCsv, type Rate, TariffError } from '#billing';
import { fuzz } from '../support/fuzz.js';

const rates: Rate[] = [
  { prefix: '4', price: 9n },
  { prefix: '49', price: 75_000n },
  { prefix: '4915', price: 72_400n },
  { prefix: '491511', price: 70_000n },
  { prefix: '1', price: 7_900n },
  { prefix: '491701234567890', price: 1n },
];

describe('the longest prefix of a number decides its price', () => {
  test.each([
    ['4930123456', 75_000n],
    ['4915012345', 72_400n],
    ['491511999', 70_000n],
    ['49151099999', 72_400n],
    ['4412345678', 9n],
    ['12025550123', 7_900n],
    ['491701234567890', 1n],
    ['49170123456789', 75_000n],
  ])('%s', (number, price) => {
    expect(findPrice(buildTariff(rates), number)).toBe(price);
  });

  test('a number without a matching prefix has no price', () => {
    expect(findPrice(buildTariff(rates), '33612345678')).toBeUndefined();
    expect(findPrice(buildTariff([]), '33612345678')).toBeUndefined();
  });

  test('a price of 0 is a price', () => {
    expect(findPrice(buildTariff([{ prefix: '49', price: 0n }]), '4930123456')).toBe(0n);
  });

  test('it agrees with trying every rate, for any tariff and number', () => {
    const digits = fc.stringMatching(/^[1-3][1-3]{0,5}$/);
    const tariffRates = fc.uniqueArray(fc.record({ prefix: digits, price: fc.bigInt({ min: 0n, max: 99n }) }), {
      selector: ({ prefix }) => prefix,
    });
    fc.assert(
      fc.property(tariffRates, fc.stringMatching(/^[1-3]{7,9}$/), (list, number) => {
        const matching = list.filter(({ prefix }) => number.startsWith(prefix));
        const longest = matching.sort((a, b) => b.prefix.length - a.prefix.length)[0];
        expect(findPrice(buildTariff(list), number)).toBe(longest?.price);
      }),
      fuzz(500),
    );
  });
});

describe('a tariff cannot be built of', () => {
  test.each([
    ['a prefix twice', [...rates, { prefix: '49', price: 1n }], /49 has a price already/],
    ['a negative price', [{ prefix: '49', price: -1n }], /below 0/],
    ['an empty prefix', [{ prefix: '', price: 1n }], /1 to 15 digits/],
  ])('%s', (_, list, rule) => {
    expect(() => buildTariff(list)).toThrow(TariffError);
    expect(() => buildTariff(list)).toThrow(rule);
  });
});

describe('a tariff is read from CSV', () => {
  test('with comments, blank lines, CRLF, a byte order mark and spaces', () => {
    const csv = '\ufeff# ours\r\n\r\nprefix, price\r\n49,0.0750\r\n  # mobile\r\n 4915 , 0.0724 \r\n\r\n1,0\r\n';
    expect(parseTariffCsv(csv)).toEqual([
      { prefix: '49', price: 75_000n },
      { prefix: '4915', price: 72_400n },
      { prefix: '1', price: 0n },
    ]);
  });

  test('with every field in double quotes, as a spreadsheet may write it', () => {
    expect(parseTariffCsv('"prefix","price","country"\n"82","0.05","Korea, South"\n"1", "0", ""\n')).toEqual([
      { prefix: '82', price: 50_000n, country: 'Korea, South' },
      { prefix: '1', price: 0n },
    ]);
  });

  test.each([
    ['a decimal comma in double quotes', '"prefix","price"\n"49","0,075"', 2, /two fields/],
    ['a country in Latin-1', Buffer.from('prefix,price,country\n225,0.1,C\xf4te', 'latin1').toString(), 2, /as UTF-8/],
    ['a country of digits', 'prefix,price,country\n49,0,075', 2, /does not begin with a letter/],
    ['a missing header', '49,0.1\n', 1, /header "prefix,price"/],
    ['another header', '# x\nprice,prefix\n49,0.1', 2, /header "prefix,price"/],
    ['one field', 'prefix,price\n49', 2, /two fields/],
    ['three fields', 'prefix,price\n49,0.1,EUR', 2, /two fields/],
    ['a decimal comma', 'prefix,price\n49,0,1', 2, /two fields/],
    ['a plus sign', 'prefix,price\n+49,0.1', 2, /1 to 15 digits/],
    ['an empty prefix', 'prefix,price\n,0.1', 2, /1 to 15 digits/],
    ['a prefix of 16 digits', 'prefix,price\n1234567890123456,0.1', 2, /1 to 15 digits/],
    ['a prefix that begins with 0', 'prefix,price\n049,0.1', 2, /beginning with 1 to 9/],
    ['an empty price', 'prefix,price\n49,', 2, /decimal number/],
    ['a negative price', 'prefix,price\n49,-0.1', 2, /below 0/],
    ['a price with an exponent', 'prefix,price\n49,1e-3', 2, /decimal number/],
    ['a price with seven decimals', 'prefix,price\n49,0.0000001', 2, /at most 6 decimals/],
    ['a price beyond 64 bits', 'prefix,price\n49,99999999999999', 2, /between/],
    ['a prefix twice', 'prefix,price\n49,0.1\n\n# again\n49,0.2', 5, /49 has a price already/],
  ])('%s is refused, naming line and rule', (_, csv, line, rule) => {
    expect(() => parseTariffCsv(csv)).toThrow(TariffError);
    expect(() => parseTariffCsv(csv)).toThrow(rule);
    expect(() => parseTariffCsv(csv)).toThrow(new RegExp(`^line ${line}: `));
  });

  test.each([
    ['nothing', ''],
    ['a header alone', 'prefix,price\n'],
  ])('%s is no tariff', (_, csv) => {
    expect(() => parseTariffCsv(csv)).toThrow(/no rate/);
  });
});
