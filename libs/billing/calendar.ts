/** Days and months are those of UTC, written as `2026-10-22` and `2026-10`. */

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** The calendar of PostgreSQL has no year 0. */
const FIRST_DAY = '0001-01-01';

/** Whether a text is a day that exists. `Date` alone would take 2026-11-31 for the day after the 30th. */
export function isCalendarDay(text: unknown): text is string {
  if (typeof text !== 'string' || !DAY.test(text) || text < FIRST_DAY) return false;
  const unixMs = Date.parse(text);
  return !Number.isNaN(unixMs) && dayOf(unixMs) === text;
}

export function dayOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, FIRST_DAY.length);
}

/** The day so many days before another one, but not before the first day of the calendar. */
export function dayBefore(day: string, days: number): string {
  return dayOf(Math.max(Date.parse(FIRST_DAY), Date.parse(day) - days * DAY_MS));
}

/** When a month begins and when it ends. `Date.UTC` would take the years 0 to 99 for those of the 20th century. */
export function boundsOfMonth(month: string): { readonly from: Date; readonly to: Date } {
  const from = new Date(`${month}-01T00:00:00Z`);
  const to = new Date(from);
  to.setUTCMonth(from.getUTCMonth() + 1);
  return { from, to };
}
