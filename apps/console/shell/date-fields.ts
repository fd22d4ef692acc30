/**
 * For a field with a day, or a moment. Browsers take years of six digits where no end is given: a 6 too much after 2026
 * makes a year of which nobody can make a time.
 */
export const DAY = { type: 'date', max: '9999-12-31' } as const;
export const MOMENT = { type: 'datetime-local', max: '9999-12-31T23:59' } as const;

/**
 * When a day begins by the reader's clock, or one some days later. It has 23 or 25 hours when the clocks change.
 *
 * @returns undefined if it is no day
 */
export function beginOfDay(day: string, daysLater = 0): string | undefined {
  const begin = new Date(`${day}T00:00:00`);
  begin.setDate(begin.getDate() + daysLater);
  // Where the clocks change at midnight, the first of the days begins at one.
  begin.setHours(0, 0, 0, 0);
  return Number.isNaN(begin.getTime()) ? undefined : begin.toISOString();
}
