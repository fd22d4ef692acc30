import { expect, test } from '@jest/globals';
import { daysLeft } from '../../apps/console/owner/overview/days-left.js';

const MICROS = 1_000_000n;
const DAYS = Array.from({ length: 30 }, (_, index) => dayOf(index + 1));

function dayOf(day: number): string {
  return `2026-11-${String(day).padStart(2, '0')}`;
}

/** A balance of 100, of an account that has spent 1 on each of these days of November. */
function daysFor(days: readonly number[], isNew: boolean): number | undefined {
  const spend = { micros: BigInt(days.length) * MICROS, days: DAYS, daysSent: new Set(days.map(dayOf)), isNew };
  return daysLeft(100n * MICROS, spend);
}

const allFrom = (first: number) => DAYS.slice(first - 1).map((_, index) => first + index);
const everyOtherFrom = (first: number) => allFrom(first).filter((day) => (day - first) % 2 === 0);

test.each([
  ['an account that has sent daily for long', allFrom(1), false, 100],
  ['a monthly campaign: its pace is not that of its day', [29], false, 3_000],
  ['an account that began ten days ago and sends daily', allFrom(21), true, 100],
  ['an account that began twenty days ago and sends every other day', everyOtherFrom(11), true, 200],
  ['an account of yesterday', [29, 30], true, undefined],
  ['the first campaign of an account, three weeks ago', [9], true, undefined],
  ['an account that has spent nothing', [], false, undefined],
] as const)('a balance lasts at the pace of %s', (_what, days, isNew, left) => {
  expect(daysFor(days, isNew)).toBe(left);
});
