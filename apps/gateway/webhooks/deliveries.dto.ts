import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { ATTEMPT_OUTCOMES, type AttemptFilters, type AttemptOutcome, EVENT_TYPES, TEST_EVENT } from '#persistence';
import type { Cursor } from '../http/cursor.js';
import { IfGiven } from '../http/if-given.js';
import type { JsonObject } from '../http/json-body.js';
import { CursorPagination, CursorParameter, LimitParameter, PageParameter, pageFields } from '../http/page.js';
import { FromParameter, ToParameter, timeFields } from '../http/time-range.js';

const DELIVERED_TYPES = [...EVENT_TYPES, TEST_EVENT];
const MOMENT = { type: String, format: 'date-time' } as const;

export class Delivery {
  @ApiProperty({ ...MOMENT, example: '2026-11-22T09:31:12.345Z' }) at!: Date;
  @ApiProperty({ example: 'evt_1846739871236571137_0', description: 'The `webhook-id` of the request.' })
  eventId!: string;
  @ApiProperty({ example: 'message.delivered' }) type!: string;
  @ApiProperty({ enum: ['event', 'test', 'replay'], example: 'event' }) kind!: string;
  @ApiProperty({ type: 'integer', example: 1 }) attempt!: number;
  @ApiProperty({
    enum: ATTEMPT_OUTCOMES,
    example: 'failed',
    description: '`given_up`: that was the last attempt.',
  })
  outcome!: string;
  @ApiProperty({ type: 'integer', nullable: true, example: 500, description: 'null: there was no answer.' })
  httpStatus!: number | null;
  @ApiProperty({ type: String, nullable: true, example: 'the receiver answered 500' }) error!: string | null;
  @ApiProperty({ type: 'integer', example: 41 }) durationMs!: number;
  @ApiProperty({ ...MOMENT, nullable: true, example: '2026-11-22T09:31:17.345Z' }) nextAttemptAt!: Date | null;
}

export class DeliveryList {
  @ApiProperty({ type: [Delivery] }) data!: Delivery[];
  @ApiProperty({ type: CursorPagination }) pagination!: CursorPagination;
}

/** The query of the deliveries: which ones, and which page of them. */
export class DeliveriesQuery {
  @ApiPropertyOptional({ enum: ATTEMPT_OUTCOMES, description: 'Only attempts with it.' })
  @IfGiven()
  @IsIn(ATTEMPT_OUTCOMES, { message: `outcome must be one of ${ATTEMPT_OUTCOMES.join(', ')}.` })
  outcome?: AttemptOutcome;

  @ApiPropertyOptional({ enum: DELIVERED_TYPES, description: 'Only attempts at events of this type.' })
  @IfGiven()
  @IsIn(DELIVERED_TYPES, { message: `type must be one of ${DELIVERED_TYPES.join(', ')}.` })
  type?: string;

  @FromParameter('attempts made', '2026-11-22T08:00:00Z') from?: string;
  @ToParameter('attempts made', '2026-11-23') to?: string;

  @PageParameter() page!: number;
  @LimitParameter() limit!: number;
  @CursorParameter() cursor?: string;
  pageGiven?: unknown;
  place?: Cursor | undefined;
  fromTime?: Date | undefined;
  toTime?: Date | undefined;

  get filters(): AttemptFilters {
    return { outcome: this.outcome, type: this.type, from: this.fromTime, to: this.toTime };
  }

  /** What decides which attempts the list has. */
  get filterText(): string {
    return `deliveries ${JSON.stringify(this.filters)}`;
  }

  static readonly fields = ['outcome', 'type', 'from', 'to', 'page', 'limit', 'cursor'];

  static from({ outcome, type, ...sent }: JsonObject): DeliveriesQuery {
    const query: DeliveriesQuery = Object.assign(new DeliveriesQuery(), { outcome, type, ...timeFields(sent) });
    return Object.assign(query, pageFields(sent, query.filterText));
  }
}
