import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { ORDER_STATES, type OrderState, parseRecipient } from '#billing';
import type { OrderFilters } from '#persistence';
import type { Cursor } from '../http/cursor.js';
import { IfGiven } from '../http/if-given.js';
import type { JsonObject } from '../http/json-body.js';
import { IsLabel, LABEL } from '../http/labels.js';
import { CursorParameter, LimitParameter, PageParameter, pageFields, Rule } from '../http/page.js';
import { FromParameter, ToParameter, timeFields } from '../http/time-range.js';
import { STATUS_FIELD } from '../openapi/order-fields.js';

export const FILTER_NAMES = ['status', 'recipient', 'from', 'to', 'reference', 'tag'];

/** Which messages of an account are asked for. */
export class MessageFilters {
  @ApiPropertyOptional({
    enum: [...ORDER_STATES],
    description: `Only messages with it now. ${STATUS_FIELD.description}`,
  })
  @IfGiven()
  @IsIn(ORDER_STATES, { message: `status must be one of ${ORDER_STATES.join(', ')}.` })
  status?: OrderState;

  @ApiPropertyOptional({
    type: String,
    description: 'Only messages to this number, in any form in which it is sent to.',
  })
  @IfGiven()
  @Rule<MessageFilters>(
    ({ destination }) => destination !== undefined,
    'must be an international phone number.',
    'recipient_invalid',
  )
  recipient?: string;

  @FromParameter('messages accepted', '2026-11-20T00:00:00Z') from?: string;
  @ToParameter('messages accepted', '2026-11-21') to?: string;

  @ApiPropertyOptional({ ...LABEL, description: 'Only messages sent with it.' })
  @IfGiven()
  @IsLabel()
  reference?: string;

  @ApiPropertyOptional({ ...LABEL, description: 'Only messages sent with it.' })
  @IfGiven()
  @IsLabel()
  tag?: string;

  destination?: string | undefined;
  fromTime?: Date | undefined;
  toTime?: Date | undefined;

  get filters(): OrderFilters {
    const { status, destination, fromTime, toTime, reference, tag } = this;
    return { state: status, destination, from: fromTime, to: toTime, reference, tag };
  }

  /** The same for equal filters, however they were written. */
  get filterText(): string {
    return JSON.stringify(this.filters);
  }

  /** Takes the filters out of a query. */
  protected static fill<Query extends MessageFilters>(query: Query, sent: JsonObject): Query {
    const { status, recipient, reference, tag } = sent;
    return Object.assign(query, timeFields(sent), {
      status,
      recipient,
      reference,
      tag,
      // A `+` of a query string is a space.
      destination: typeof recipient === 'string' ? parseRecipient(recipient.trim()) : undefined,
    });
  }
}

/** The query of `GET /v1/account/messages`: which messages, and which page of them. */
export class MessagesQuery extends MessageFilters {
  @PageParameter() page!: number;
  @LimitParameter() limit!: number;
  @CursorParameter() cursor?: string;
  pageGiven?: unknown;
  place?: Cursor | undefined;

  static readonly fields = ['page', 'limit', 'cursor', ...FILTER_NAMES];

  static from(sent: JsonObject): MessagesQuery {
    const query = MessageFilters.fill(new MessagesQuery(), sent);
    return Object.assign(query, pageFields(sent, query.filterText));
  }
}
