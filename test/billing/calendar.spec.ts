import { describe, expect, test } from '@jest/globals';
import { boundsOfMonth, dayBefore, isCalendarDay } from '#billing';

describe('a day is one that exists', () => {
  test.each(['2026-11-30', '2028-02-29', '0001-01-01', '9999-12-31'])('%s does', (text) => {
    expect(isCalendarDay(text)).toBe(true);
  });

  test.each([
    ['the day after the last one', '2026-11-31'],
    ['the last day of a leap year in another one', '2026-02-29'],
    ['a day of the year 0, which PostgreSQL has not', '0000-01-01'],
    ['a month that is none', '2026-13-01'],
    ['a time', '2026-11-30T00:00:00Z'],
    ['a number', 20_261_130],
  ])('%s does not', (_what, text) => {
    expect(isCalendarDay(text)).toBe(false);
  });

  test('the days before the first one are the first one', () => {
    expect([dayBefore('2026-03-01', 30), dayBefore('0001-01-20', 30)]).toEqual(['2026-01-30', '0001-01-01']);
  });
});

test.each([
  ['2026-10', '2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
  ['2026-12', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['0099-12', '0099-12-01T00:00:00.000Z', '0100-01-01T00:00:00.000Z'],
])('the month %s has the bounds of its own year', (month, from, to) => {
  expect(boundsOfMonth(month)).toEqual({ from: new Date(from), to: new Date(to) });
});
