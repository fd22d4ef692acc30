import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  convertMicros,
  formatMicros,
  isCurrencyCode,
  MICROS_MAX,
  MICROS_MIN,
  MoneyError,
  parseMicros,
  parseRate,
} from '#billing';
import { fuzz } from '../support/fuzz.js';

const micros = fc.bigInt({ min: MICROS_MIN, max: MICROS_MAX });

describe('an amount is read exactly', () => {
  test.each([
    ['0', 0n],
    ['-0', 0n],
    ['12', 12_000_000n],
    ['0.0174', 17_400n],
    ['-0.5', -500_000n],
    ['0.000001', 1n],
    ['-0.000001', -1n],
    ['12.500000', 12_500_000n],
    ['007', 7_000_000n],
    ['9223372036854.775807', MICROS_MAX],
    ['-9223372036854.775808', MICROS_MIN],
  ])('%s', (text, amount) => {
    expect(parseMicros(text)).toBe(amount);
  });

  test.each([
    ['nothing', '', /decimal number/],
    ['a sign alone', '-', /decimal number/],
    ['a plus sign', '+1', /decimal number/],
    ['an exponent', '1e3', /decimal number/],
    ['a comma', '1,5', /decimal number/],
    ['no digit before the point', '.5', /decimal number/],
    ['no digit after the point', '5.', /decimal number/],
    ['spaces', ' 5', /decimal number/],
    ['a line break at the end', '5\n', /decimal number/],
    ['two points', '1.2.3', /decimal number/],
    ['hexadecimal digits', '0x10', /decimal number/],
    ['digits of another script', '٥', /decimal number/],
    ['a word', 'NaN', /decimal number/],
    ['seven decimals', '0.1234567', /at most 6 decimals/],
    ['seven decimals that are zeros', '1.0000000', /at most 6 decimals/],
    ['one more than 64 bits hold', '9223372036854.775808', /between/],
    ['one less than 64 bits hold', '-9223372036854.775809', /between/],
    ['a text without end', '1'.repeat(100_000), /decimal number/],
  ])('%s is refused, naming the rule', (_, text, rule) => {
    expect(() => parseMicros(text)).toThrow(MoneyError);
    expect(() => parseMicros(text)).toThrow(rule);
  });
});

describe('an amount is written without exponent and without noise', () => {
  test.each([
    [0n, '0'],
    [17_400n, '0.0174'],
    [12_000_000n, '12'],
    [-500_000n, '-0.5'],
    [1n, '0.000001'],
    [-1n, '-0.000001'],
    [10_000_000n, '10'],
    [1_050_000n, '1.05'],
    [-12_345_678n, '-12.345678'],
    [MICROS_MAX, '9223372036854.775807'],
    [MICROS_MIN, '-9223372036854.775808'],
  ])('%d micro-units', (amount, text) => {
    expect(formatMicros(amount)).toBe(text);
  });

  test('and reads back as the same amount, whatever it is', () => {
    fc.assert(
      fc.property(micros, (amount) => expect(parseMicros(formatMicros(amount))).toBe(amount)),
      fuzz(100),
    );
  });

  test('and is the shortest plain decimal, which is also a JSON number', () => {
    fc.assert(
      fc.property(micros, (amount) => {
        expect(formatMicros(amount)).toMatch(/^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d{0,5}[1-9])$/);
        expect(typeof JSON.parse(formatMicros(amount))).toBe('number');
      }),
      fuzz(100),
    );
  });
});

describe('a conversion is exact and rounds halves to even', () => {
  test.each([
    ['1 at 1', 1_000_000n, '1', 1_000_000n],
    ['100 USD at 0.917431192661', 100_000_000n, '0.917431192661', 91_743_119n],
    ['a half above an even number stays', 1n, '0.5', 0n],
    ['a half above an odd number goes up', 3n, '0.5', 2n],
    ['a half again stays', 5n, '0.5', 2n],
    ['a half less a 10^-12 goes down', 3n, '0.499999999999', 1n],
    ['a half and a 10^-12 goes up', 1n, '0.500000000001', 1n],
    ['the smallest rate', 500_000_000_000n, '0.000000000001', 0n],
    ['the smallest rate on an odd half', 1_500_000_000_000n, '0.000000000001', 2n],
    ['a negative half stays', -1n, '0.5', 0n],
    ['a negative half goes away from the odd', -3n, '0.5', -2n],
    ['nothing', 0n, '1.23', 0n],
  ])('%s', (_, amount, rate, expected) => {
    expect(convertMicros(amount, rate)).toBe(expected);
  });

  test('it agrees with a slow reference for any amount and rate', () => {
    const rate = fc
      .tuple(fc.integer({ min: 0, max: 9_999 }), fc.stringMatching(/^[0-9]{1,12}$/))
      .map(([whole, fraction]) => `${whole}.${fraction}`)
      .filter((text) => /[1-9]/.test(text));
    const amount = fc.oneof(fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n }), fc.bigInt({ min: -20n, max: 20n }));
    const anyRate = fc.oneof(rate, fc.constantFrom('0.5', '1.5', '0.25', '2.5', '0.125'));
    fc.assert(
      fc.property(amount, anyRate, (source, text) => {
        expect(convertMicros(source, text)).toBe(slowConversion(source, text));
      }),
      fuzz(2_000),
    );
  });

  test('a result beyond 64 bits is refused', () => {
    expect(() => convertMicros(MICROS_MAX, '2')).toThrow(/between/);
    expect(convertMicros(MICROS_MAX, '1')).toBe(MICROS_MAX);
    expect(convertMicros(MICROS_MIN, '1')).toBe(MICROS_MIN);
  });

  test.each(['', '0', '0.000', '-1', '+1', '1e2', '1.', '.5', '0.1234567890123', '1234567890123', 'x', '1 ', '1\n'])(
    'the rate %j is refused, naming the rule',
    (rate) => {
      expect(() => parseRate(rate)).toThrow(/a rate is a decimal number above 0/);
      expect(() => convertMicros(1n, rate)).toThrow(MoneyError);
    },
  );
});

test('a currency code is three upper-case letters', () => {
  expect(['EUR', 'USD', 'GBP', 'XAF'].every(isCurrencyCode)).toBe(true);
  expect(['', 'eur', 'EU', 'EURO', 'E1R', ' EUR', 'EUR\n', 'ÉUR'].some(isCurrencyCode)).toBe(false);
});

/** Long division by hand, one digit of the rate after the other, then the rounding rule on the digits cut off. */
function slowConversion(amount: bigint, rate: string): bigint {
  const [whole = '', fraction = ''] = rate.split('.');
  const product = ((amount < 0n ? -amount : amount) * BigInt(`${whole}${fraction}`)).toString().padStart(40, '0');
  const kept = BigInt(product.slice(0, product.length - fraction.length));
  const cut = product.slice(product.length - fraction.length).padEnd(1, '0');
  const half = `5${'0'.repeat(cut.length - 1)}`;
  const up = cut > half || (cut === half && kept % 2n === 1n);
  const magnitude = up ? kept + 1n : kept;
  return amount < 0n ? -magnitude : magnitude;
}
