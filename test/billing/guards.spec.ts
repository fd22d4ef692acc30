import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  brokenGuard,
  checkedGuards,
  countryOf,
  GuardError,
  type GuardSettings,
  type Guards,
  GuardTrial,
  guardsOf,
  isCountry,
  MICROS_MAX,
  parseTariffCsv,
} from '#billing';

describe('the country of a number', () => {
  test.each([
    ['14155550100', 'US'],
    ['14165550100', 'CA'],
    ['18765550100', 'JM'],
    ['447700900123', 'GB'],
    ['447797712345', 'JE'],
    ['447924123456', 'IM'],
    ['79161234567', 'RU'],
    ['77011234567', 'KZ'],
    ['390669812345', 'VA'],
    ['393331234567', 'IT'],
    ['262692123456', 'RE'],
    ['262639123456', 'YT'],
    ['4915112345678', 'DE'],
    ['881612345678', '001'],
    ['999700100200', undefined],
  ])('%s is in %s', (number, country) => expect(countryOf(number)).toBe(country));

  test('is known for every prefix of the default tariffs', () => {
    for (const currency of ['eur', 'usd', 'gbp']) {
      const rates = parseTariffCsv(readFileSync(`data/tariffs/default-${currency}.csv`, 'utf8'));
      expect(rates.filter(({ prefix }) => countryOf(prefix) === undefined)).toEqual([]);
    }
  });

  test('has a code of ISO 3166', () => {
    for (const code of ['GB', 'DE', 'US', 'XK', '001']) expect(isCountry(code)).toBe(true);
    for (const code of ['gb', 'UK', 'ZZ', '']) expect(isCountry(code)).toBe(false);
  });
});

describe('settings of guards', () => {
  test('are stored in one form, with null for a guard that is lifted', () => {
    expect(
      checkedGuards({ countries: ['de', 'GB', 'de'], spendDayMax: '10.00', priceMax: null, rangeDigits: 3 }),
    ).toEqual({
      countries: ['DE', 'GB'],
      spendDayMax: '10',
      priceMax: null,
      rangeDigits: 3,
    });
  });

  test.each([
    [{ countries: ['UK'] }, 'UK is none'],
    [{ countries: [] }, 'list of country codes'],
    [{ priceMax: '-1' }, 'priceMax is a decimal amount'],
    [{ spendDayMax: 10 }, 'spendDayMax is a decimal amount'],
    [{ recipientHourMax: 0 }, 'from 1 to'],
    [{ rangeDigits: 7 }, 'from 1 to 6'],
    [{ rampDays: 1.5 }, 'from 1 to 365'],
  ])('%j is refused', (settings, rule) => {
    expect(() => checkedGuards(settings)).toThrow(GuardError);
    expect(() => checkedGuards(settings)).toThrow(rule);
  });
});

describe('a ramp', () => {
  const settings: GuardSettings = { rampDays: 3, rampSpendDay: '5', spendDayMax: '12' };
  test.each([
    [0, 5_000_000n],
    [1, 10_000_000n],
    [2, 12_000_000n],
    [3, 12_000_000n],
  ])('on day %i an account may spend %s micro-units', (ageDays, max) => {
    expect(guardsOf(settings, ageDays)?.spendDayMax).toBe(max);
  });

  test('is over after its days, and leaves no guard behind', () => {
    expect(guardsOf({ rampDays: 3, rampSpendDay: '5' }, 3)).toBeUndefined();
    // An amount fits 64 bits.
    expect(guardsOf({ rampDays: 3, rampSpendDay: '9000000000000' }, 1)?.spendDayMax).toBe(MICROS_MAX);
  });
});

test('a message to a country that is not allowed, or dearer than allowed, breaks a guard', () => {
  const guards: Guards = { countries: new Set(['GB']), priceMax: 50_000n, rangeDigits: 4 };
  expect(brokenGuard(guards, { destination: '447700900123', unitPrice: 50_000n })).toBeUndefined();
  expect(brokenGuard(guards, { destination: '4915112345678', unitPrice: 1n })?.code).toBe('destination_blocked');
  expect(brokenGuard(guards, { destination: '447700900123', unitPrice: 50_001n })?.code).toBe('price_above_max');
});

describe('a trial counts by the clock of UTC', () => {
  const message = (at: string) => ({ atMs: Date.parse(at), destination: '447700900123', unitPrice: 1n, price: 1n });
  test.each<[string, Guards, readonly [string, string, string]]>([
    [
      'a new hour begins on the hour',
      { rangeDigits: 4, recipientHourMax: 1 },
      ['2026-03-31T10:00:00.000Z', '2026-03-31T10:59:59.999Z', '2026-03-31T11:00:00.000Z'],
    ],
    [
      'a new day begins at midnight',
      { rangeDigits: 4, spendDayMax: 1n },
      ['2026-03-31T00:00:00.000Z', '2026-03-31T23:59:59.999Z', '2026-04-01T00:00:00.000Z'],
    ],
    [
      'a new month begins at midnight of its first day',
      { rangeDigits: 4, spendMonthMax: 1n },
      ['2026-03-01T00:00:00.000Z', '2026-03-31T23:59:59.999Z', '2026-04-01T00:00:00.000Z'],
    ],
  ])('%s', (_what, guards, [first, last, next]) => {
    const trial = new GuardTrial();
    const verdicts = [first, last, next].map((at) => trial.judge(guards, message(at)) === undefined);
    expect(verdicts).toEqual([true, false, true]);
  });
});

test('a trial stops pumping at the configured number of messages, and starts anew with the hour', () => {
  const guards: Guards = { rangeHourMax: 50, rangeDigits: 3 };
  const trial = new GuardTrial();
  const pump = (atMs: number) =>
    Array.from({ length: 500 }, (_, n) =>
      trial.judge(guards, {
        atMs,
        destination: `44770090${String(n % 1_000).padStart(4, '0')}`,
        unitPrice: 1n,
        price: 1n,
      }),
    ).filter((verdict) => verdict === undefined).length;
  expect(pump(0)).toBe(50);
  expect(pump(3_599_999)).toBe(0);
  expect(pump(3_600_000)).toBe(50);
});

test('a trial takes redacted numbers, which begin alike, for no flood to one number or range', () => {
  const guards: Guards = { recipientHourMax: 1, rangeHourMax: 1, rangeDigits: 4, countries: new Set(['GB']) };
  const trial = new GuardTrial();
  const verdictOf = (destination: string) => trial.judge(guards, { atMs: 0, destination, unitPrice: 1n, price: 1n });
  expect(['447700******', '447700******', '447700******'].map(verdictOf)).toEqual([undefined, undefined, undefined]);
  expect(verdictOf('491512******')).toBe('destination_blocked');
  expect(['447700900123', '447700900124'].map(verdictOf)).toEqual([undefined, 'velocity_limit']);
});
