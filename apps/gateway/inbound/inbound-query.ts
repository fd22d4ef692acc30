import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { parseRecipient } from '#billing';
import { INBOUND_KEYWORDS, type InboundFilters, type InboundKeyword } from '#persistence';
import type { Cursor } from '../http/cursor.js';
import { IfGiven } from '../http/if-given.js';
import type { JsonObject } from '../http/json-body.js';
import { CursorParameter, LimitParameter, PageParameter, pageFields, Rule } from '../http/page.js';
import { FromParameter, ToParameter, timeFields } from '../http/time-range.js';

const ADDRESS_LENGTH_MAX = 64;

const NamesOne = (field: 'source' | 'destination') =>
  Rule<InboundQuery>((query) => query[field] !== undefined, 'must be a number or a sender.');

/** The query of `GET /v1/message/inbound`: which messages, and which page of them. */
export class InboundQuery {
  @ApiPropertyOptional({ type: String, description: 'Only messages from this number, in any form.' })
  @IfGiven()
  @NamesOne('source')
  sender?: string;

  @ApiPropertyOptional({ type: String, description: 'Only messages to this number or sender of yours.' })
  @IfGiven()
  @NamesOne('destination')
  recipient?: string;

  @ApiPropertyOptional({ enum: [...INBOUND_KEYWORDS], description: 'Only messages that ask for it.' })
  @IfGiven()
  @IsIn(INBOUND_KEYWORDS, { message: `keyword must be one of ${INBOUND_KEYWORDS.join(', ')}.` })
  keyword?: InboundKeyword;

  @FromParameter('messages received', '2026-11-20T00:00:00Z') from?: string;
  @ToParameter('messages received', '2026-11-21') to?: string;

  @PageParameter() page!: number;
  @LimitParameter() limit!: number;
  @CursorParameter() cursor?: string;
  pageGiven?: unknown;
  place?: Cursor | undefined;

  source?: string | undefined;
  destination?: string | undefined;
  fromTime?: Date | undefined;
  toTime?: Date | undefined;

  get filters(): InboundFilters {
    const { source, destination, keyword, fromTime, toTime } = this;
    return { source, destination: destination?.toLowerCase(), keyword, from: fromTime, to: toTime };
  }

  /** The same for equal filters, however they were written. */
  get filterText(): string {
    return `inbound ${JSON.stringify(this.filters)}`;
  }

  static readonly fields = ['sender', 'recipient', 'keyword', 'from', 'to', 'page', 'limit', 'cursor'];

  static from(sent: JsonObject): InboundQuery {
    const { sender, recipient, keyword } = sent;
    const query = Object.assign(new InboundQuery(), timeFields(sent), {
      sender,
      recipient,
      keyword,
      source: address(sender),
      destination: address(recipient),
    });
    return Object.assign(query, pageFields(sent, query.filterText));
  }
}

/** The digits of a number, or the text of a sender. A `+` of a query string is a space. */
function address(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const trimmed = text.trim();
  const isOne = trimmed !== '' && trimmed.length <= ADDRESS_LENGTH_MAX && !trimmed.includes('\0');
  return isOne ? (parseRecipient(trimmed) ?? trimmed) : undefined;
}
