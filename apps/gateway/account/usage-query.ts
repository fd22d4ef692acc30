import { ApiPropertyOptional } from '@nestjs/swagger';
import { dayBefore, dayOf, isCalendarDay } from '#billing';
import type { JsonObject } from '../http/json-body.js';
import { Rule } from '../http/page.js';

const DAY_MS = 86_400_000;
const DAYS_DEFAULT = 30;
const DAYS_MAX = 366;
const NO_DAY = 'must be a day, as 2026-11-20.';

/** The days of `GET /v1/account/usage`. */
export class UsageQuery {
  @ApiPropertyOptional({
    type: String,
    format: 'date',
    description: `The first day, in UTC: at most ${DAYS_MAX} days before \`to\`, by default ${DAYS_DEFAULT}.`,
    example: '2026-11-01',
  })
  @Rule<UsageQuery>(({ days }) => days >= 1 && days <= DAYS_MAX, `must be 1 to ${DAYS_MAX} days before to.`)
  @Rule<UsageQuery>(({ from }) => isCalendarDay(from), NO_DAY)
  from!: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date',
    description: 'The day after the last one; by default tomorrow.',
    example: '2026-12-01',
  })
  @Rule<UsageQuery>(({ to }) => canEnd(to), NO_DAY)
  to!: string;

  static readonly fields = ['from', 'to'];

  static from({ from, to }: JsonObject): UsageQuery {
    const end = to ?? dayOf(Date.now() + DAY_MS);
    const begin = from ?? (canEnd(end) ? dayBefore(end, DAYS_DEFAULT) : '2000-01-01');
    return Object.assign(new UsageQuery(), { from: begin, to: end });
  }

  /** How many days; 1 while `to` is none, so that only `to` is refused. */
  get days(): number {
    return canEnd(this.to) ? (Date.parse(this.to) - Date.parse(this.from)) / DAY_MS : 1;
  }
}

/** Whether there is a day before it: before the first day of the calendar there is none. */
function canEnd(day: unknown): day is string {
  return isCalendarDay(day) && dayBefore(day, 1) < day;
}
