import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IfGiven } from './if-given.js';
import type { JsonObject } from './json-body.js';
import { Rule } from './page.js';
import { NO_TIME, parseTime } from './time.js';

/** Of what time the items of a list are: from the first one on, before the second. */
interface TimeRange {
  readonly fromTime?: Date | undefined;
  readonly toTime?: Date | undefined;
}

/** @param items e.g. "messages accepted" */
export function FromParameter(items: string, example: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: String,
      description: `Only ${items} at or after it: an ISO 8601 time with its zone, or a day (UTC).`,
      example,
    }),
    IfGiven(),
    Rule<TimeRange>(({ fromTime }) => fromTime !== undefined, NO_TIME),
  );
}

/** @param items as for `FromParameter` */
export function ToParameter(items: string, example: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, description: `Only ${items} before it.`, example }),
    IfGiven(),
    Rule<TimeRange>(({ toTime }) => toTime !== undefined, NO_TIME),
    Rule<TimeRange>(({ fromTime, toTime }) => !(fromTime && toTime && toTime <= fromTime), 'must be after from.'),
  );
}

/** The fields of a query that decide about times. */
export function timeFields({ from, to }: JsonObject) {
  return { from, to, fromTime: parseTime(from), toTime: parseTime(to) };
}
