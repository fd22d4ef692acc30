import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsBoolean, IsString } from 'class-validator';
import { type Micros, ORDER_STATES, type OrderState } from '#billing';
import { IfGiven } from '../http/if-given.js';
import type { JsonObject } from '../http/json-body.js';
import type { FieldFault } from '../http/problem.js';
import { TEST_FIELD } from '../openapi/order-fields.js';
import { aValueOf, SendEntry, UNIQUE_REFERENCE } from './messages.dto.js';
import { aBoolean, OPTION_NAMES, SendOptions } from './send-options.dto.js';

export const anArray = aValueOf('an array');

export class SendBatchRequest extends SendOptions {
  @ApiProperty({ type: [SendEntry], minItems: 1 })
  // Decorators run from the last to the first: the check for an array comes before the check of its length.
  @ArrayNotEmpty({ message: 'messages must have at least one entry.', context: { code: 'batch_empty' } })
  @IsArray(anArray)
  messages!: SendEntry[];

  @ApiPropertyOptional(UNIQUE_REFERENCE)
  @IfGiven()
  @IsBoolean(aBoolean)
  uniqueReference?: boolean;

  static readonly fields = ['messages', ...OPTION_NAMES, 'uniqueReference'];
  static readonly list = { field: 'messages', entries: SendEntry };
  static readonly keepsFaults = true;
  faults?: readonly FieldFault[];
}

/** The batch that a path names, in lower case, as ids are stored and answered. */
export class BatchPath {
  @ApiProperty({
    format: 'uuid',
    example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c10',
    description: 'As the answer to the batch had it.',
  })
  @IsString()
  batchId!: string;

  static from({ batchId }: JsonObject): BatchPath {
    return Object.assign(new BatchPath(), { batchId: String(batchId).toLowerCase() });
  }
}

export class Batch {
  @ApiProperty({ format: 'uuid', example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c10' }) batchId!: string;
  @ApiProperty({ type: 'integer', description: 'Messages that were accepted.', example: 500 }) messages!: number;
  @ApiProperty({
    type: 'object',
    properties: Object.fromEntries(ORDER_STATES.map((state) => [state, { type: 'integer', example: 0 }])),
    required: [...ORDER_STATES],
    selfRequired: true,
    additionalProperties: false,
    description: 'How many of them have each status; only those that are still kept.',
  })
  byStatus!: Readonly<Record<OrderState, number>>;
  @ApiProperty({
    example: false,
    description: 'Every message has ended: none is `scheduled`, `queued`, `sending` or `sent` any more.',
  })
  completed!: boolean;
  @ApiProperty({
    type: Number,
    description: 'What its messages cost now; only those that are still kept.',
    example: 37.5,
  })
  amount!: Micros;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiProperty({ format: 'date-time', example: '2026-11-20T09:31:12.345Z' }) acceptedAt!: Date;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The earliest time for which one of its messages was scheduled; null: all were to be sent at once.',
    example: null,
  })
  sendAt!: Date | null;
  @ApiPropertyOptional(TEST_FIELD) test?: true | undefined;
}
