import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';
import { ORDER_STATES, type OrderState, parseRecipient } from '#billing';
import type { OrderFilters } from '#persistence';
import { type Cursor, parseCursor } from '../http/cursor.js';
import type { JsonObject } from '../http/json-body.js';
import { IsLabel, LABEL_LENGTH_MAX } from '../http/labels.js';
import { effectivePage, PageQuery } from '../http/page.js';
import type { FieldFault } from '../http/problem.js';
import { unknownNames } from '../http/unknown-fields.js';
import { STATUS_FIELD } from '../openapi/order-fields.js';

const NAMES = ['page', 'limit', 'cursor', 'status', 'recipient', 'from', 'to', 'reference', 'tag'];

const IfGiven = () => ValidateIf((_query, value) => value !== undefined);

/** A rule of one parameter; the sentence of its refusal follows the name of the parameter. */
function Rule(
  isKept: (value: unknown, query: MessagesQuery) => boolean,
  sentence: string,
  code = 'invalid_request',
): PropertyDecorator {
  return ValidateBy(
    {
      name: sentence,
      validator: {
        validate: (value: unknown, rule?: ValidationArguments) => isKept(value, rule?.object as MessagesQuery),
        defaultMessage: (rule?: ValidationArguments) => `${rule?.property} ${sentence}`,
      },
    },
    { context: { code } },
  );
}

/** The query of `GET /v1/account/messages`: which messages, and which page of them. */
export class MessagesQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'The `next` of another page, with the same filters. Excludes `page`; pages do not shift meanwhile.',
  })
  @IfGiven()
  @Rule((_value, query) => query.pageGiven === undefined, 'and page exclude each other.')
  @Rule((_value, query) => query.place !== undefined, 'must be the next of a page of this list, with the same filters.')
  cursor?: string;

  @ApiPropertyOptional({
    enum: [...ORDER_STATES],
    description: `Only messages with it now. ${STATUS_FIELD.description}`,
  })
  @IfGiven()
  @IsIn(ORDER_STATES, { message: `status must be one of ${ORDER_STATES.join(', ')}.` })
  status?: OrderState;

  @ApiPropertyOptional({ description: 'Only messages to this number, in any form in which it may be sent to.' })
  @IfGiven()
  @Rule(
    (_value, query) => query.destination !== undefined,
    'must be an international phone number.',
    'recipient_invalid',
  )
  recipient?: string;

  @ApiPropertyOptional({
    description: 'Only messages accepted at or after it: an ISO 8601 time with its zone, or a day (UTC).',
    example: '2026-11-20T00:00:00Z',
  })
  @IfGiven()
  @Rule(
    (_value, query) => query.fromTime !== undefined,
    'must be a time with its zone, as 2026-11-20T09:30:00Z, or a day.',
  )
  from?: string;

  @ApiPropertyOptional({ description: 'Only messages accepted before it.', example: '2026-11-21' })
  @IfGiven()
  @Rule((_value, query) => isAfter(query.toTime, query.fromTime), 'must be after from.')
  @Rule(
    (_value, query) => query.toTime !== undefined,
    'must be a time with its zone, as 2026-11-20T09:30:00Z, or a day.',
  )
  to?: string;

  @ApiPropertyOptional({ description: 'Only messages that were sent with it.', maxLength: LABEL_LENGTH_MAX })
  @IfGiven()
  @IsLabel()
  reference?: string;

  @ApiPropertyOptional({ description: 'Only messages that were sent with it.', maxLength: LABEL_LENGTH_MAX })
  @IfGiven()
  @IsLabel()
  tag?: string;

  pageGiven?: unknown;
  destination?: string | undefined;
  fromTime?: Date | undefined;
  toTime?: Date | undefined;
  place?: Cursor | undefined;

  static override from(sent: JsonObject): MessagesQuery {
    const { cursor, status, recipient, from, to, reference, tag } = sent;
    const query = Object.assign(new MessagesQuery(), PageQuery.from(sent), {
      cursor,
      status,
      recipient,
      from,
      to,
      reference,
      tag,
      pageGiven: sent.page,
      // A `+` of a query string is a space.
      destination: typeof recipient === 'string' ? parseRecipient(recipient.trim()) : undefined,
      fromTime: timeOf(from),
      toTime: timeOf(to),
    });
    query.place = typeof cursor === 'string' ? parseCursor(query.filterText, cursor) : undefined;
    return query;
  }

  static override unknownNames(sent: JsonObject): readonly FieldFault[] {
    return unknownNames(sent, NAMES, 'query parameter');
  }

  get filters(): OrderFilters {
    const { status, destination, fromTime, toTime, reference, tag } = this;
    return { state: status, destination, from: fromTime, to: toTime, reference, tag };
  }

  /** The same for equal filters, however they were written. */
  get filterText(): string {
    return JSON.stringify(['messages', this.filters]);
  }

  /** The page that is asked for, within the served limits. */
  get wanted(): { page: number; limit: number; before: number | undefined } {
    const { page, limit } = effectivePage(this);
    return { page: this.place?.page ?? page, limit, before: this.place?.before };
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/;

function timeOf(text: unknown): Date | undefined {
  if (typeof text !== 'string') return undefined;
  // A `+` of a query string is a space.
  const written = text.replace(/ (?=\d\d:?\d\d$)/, '+');
  const at = new Date(DAY.test(written) ? `${written}T00:00:00Z` : written);
  return (DAY.test(written) || TIME.test(written)) && !Number.isNaN(at.getTime()) ? at : undefined;
}

function isAfter(to: Date | undefined, from: Date | undefined): boolean {
  return to === undefined || from === undefined || to > from;
}
