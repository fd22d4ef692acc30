import { isCalendarDay } from '#billing';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/;

/** What is wrong with a text that `parseZonedTime` does not take. */
export const NO_ZONED_TIME = 'must be a time with its zone, on a day that exists, as 2026-12-01T08:00:00Z';
/** The same of `parseTime`. */
export const NO_TIME = `${NO_ZONED_TIME}, or such a day.`;

/** A moment with its zone (ISO 8601) on a day that exists, also in UTC, as answers have it. Undefined if it is none. */
export function parseZonedTime(text: unknown): Date | undefined {
  const isTime = typeof text === 'string' && TIME.test(text) && isCalendarDay(text.slice(0, 'YYYY-MM-DD'.length));
  const at = isTime ? new Date(text) : undefined;
  return isCalendarDay(at?.toJSON()?.slice(0, 'YYYY-MM-DD'.length)) ? at : undefined;
}

/** A moment of a query: an ISO 8601 time with its zone, or a day, which begins in UTC. Undefined if it is neither. */
export function parseTime(text: unknown): Date | undefined {
  if (typeof text !== 'string') return undefined;
  // A `+` of a query string is a space.
  const written = text.replace(/ (?=\d\d:?\d\d$)/, '+');
  return parseZonedTime(isCalendarDay(written) ? `${written}T00:00:00Z` : written);
}
