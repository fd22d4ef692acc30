import { durationParts } from './duration-parts.js';
import { locale, zone } from './locale.js';
import { untornTime } from './untorn-time.js';

const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone: zone });
const dayOnly = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: zone });
const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: zone });
const shortDayUtc = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayUtc = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const timeUtc = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
const monthUtc = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const timeOnly = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', timeZone: zone });
const minuteOnly = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: zone });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'always', style: 'narrow' });

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

type Moment = string | number | Date;

/** In narrow columns, the time may stand below the day; neither is torn. */
export const formatTime = (at: Moment): string => untornTime(dateTime, new Date(at));
/** In a statement, whose months are months in UTC. */
export const formatUtcTime = (at: Moment): string => untornTime(timeUtc, new Date(at));
export const formatDay = (at: Moment): string => whole(dayOnly.format(new Date(at)));
/** Days of the API are days in UTC. */
export const formatUtcDay = (day: string): string => whole(dayUtc.format(new Date(`${day}T00:00:00Z`)));
/** Of `2026-11`: months of statements are months in UTC. */
export const formatMonth = (month: string): string => monthUtc.format(new Date(`${month}-01T00:00:00Z`));
export const formatShortUtcDay = (day: Moment): string => shortDayUtc.format(new Date(day));
export const formatClock = (at: Moment): string => timeOnly.format(new Date(at));
export const formatMinute = (at: Moment): string => minuteOnly.format(new Date(at));

/** Of a moment that is older, nobody knows the year by the day. */
const YEAR_KNOWN_MS = 300 * 86_400_000;

/** Today's moments by the clock, others with their day, and old ones with their year as well. */
export function formatRecent(at: Moment, nowMs = Date.now()): string {
  const moment = new Date(at);
  if (dayOnly.format(moment) === dayOnly.format(new Date(nowMs))) return timeOnly.format(moment);
  const day = nowMs - moment.getTime() < YEAR_KNOWN_MS ? shortDay : dayOnly;
  return `${whole(day.format(moment))}, ${minuteOnly.format(moment)}`;
}

function whole(day: string): string {
  return day.replaceAll(' ', '\u00a0');
}

/** "3 s ago", "in 2 hr". */
export function formatAgo(at: Moment, nowMs = Date.now()): string {
  const seconds = Math.round((new Date(at).getTime() - nowMs) / 1_000);
  const [unit, size] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? (['second', 1] as const);
  return whole(relative.format(Math.trunc(seconds / size), unit));
}

/** "1.2 s", "3 min 5 s": how long something took. */
export function formatDuration(milliseconds: number): string {
  const words = durationParts(milliseconds).map(([value, unit]) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'narrow' }).format(value),
  );
  return words.join(' ');
}
