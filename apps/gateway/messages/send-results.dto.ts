import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Micros } from '#billing';
import { ARRAY_POSITION_FIELD, TEST_FIELD } from '../openapi/order-fields.js';

/** In answers of the send endpoints and of quotes. */
export class ReplacedCharacter {
  @ApiProperty({ example: '’' }) character!: string;
  @ApiProperty({ example: 'U+2019' }) codePoint!: string;
  @ApiProperty({ description: 'What stands in its place; empty if it was left out.', example: "'" })
  replacement!: string;
  @ApiProperty({ type: 'integer', description: 'How often.', example: 1 }) count!: number;
}

const REPLACED_DESCRIPTION = 'If `smartEncoding` was asked for: what it replaced. Empty: the text was sent as it is.';
const SCHEDULED_FOR = {
  type: String,
  format: 'date-time',
  description: 'When it is sent, if it is scheduled.',
  example: '2026-12-01T08:00:00.000Z',
};

export class SendResult {
  @ApiProperty({ example: true, description: 'Always true: refusals have a status of 4xx or 5xx.' }) success!: boolean;
  @ApiProperty({ format: 'uuid', example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11' }) messageId!: string;
  @ApiProperty({ type: String, description: 'Decimal amount taken from the balance.', example: '0.075' })
  balanceDeduction!: string;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiPropertyOptional({ type: String, description: 'If the send had one.', example: 'order-4711' }) reference?:
    | string
    | undefined;
  @ApiPropertyOptional({ type: String, description: 'If the send had one.', example: 'reminders' }) tag?:
    | string
    | undefined;
  @ApiPropertyOptional(SCHEDULED_FOR) sendAt?: Date | undefined;
  @ApiPropertyOptional({ type: [ReplacedCharacter], description: REPLACED_DESCRIPTION })
  replacedCharacters?: readonly ReplacedCharacter[] | undefined;
  @ApiPropertyOptional(TEST_FIELD) test?: true | undefined;
}

export class OrderSummaryEntry {
  @ApiProperty(ARRAY_POSITION_FIELD) arrayPosition!: number;
  @ApiProperty({ type: Number, description: 'What this message costs.', example: 0.075 }) amount!: Micros;
  @ApiProperty({ example: '+491701234567', description: 'As submitted.' }) recipient!: string;
  @ApiProperty({ format: 'uuid', example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11' }) messageId!: string;
  @ApiPropertyOptional({ type: String, description: 'If the entry had one, or the batch.', example: 'order-4711' })
  reference?: string | undefined;
  @ApiPropertyOptional({ type: String, description: 'If the entry had one, or the batch.', example: 'reminders' })
  tag?: string | undefined;
  @ApiPropertyOptional(SCHEDULED_FOR) sendAt?: Date | undefined;
  @ApiPropertyOptional({ type: [ReplacedCharacter], description: REPLACED_DESCRIPTION })
  replacedCharacters?: readonly ReplacedCharacter[] | undefined;
}

export class SendBatchResult {
  @ApiProperty({ example: true, description: 'Always true: refusals have a status of 4xx or 5xx.' }) success!: boolean;
  @ApiProperty({ example: '1 message accepted', description: 'A sentence for a person.' }) message!: string;
  @ApiProperty({ type: String, description: 'Decimal amount taken from the balance.', example: '0.075' })
  balanceDeduction!: string;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    description: 'Names the batch, to see how far it has come and to cancel it.',
    example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c10',
  })
  batchId?: string | undefined;
  @ApiProperty({ type: [OrderSummaryEntry], description: 'One entry for each message, in the order of the request.' })
  orderSummary!: OrderSummaryEntry[];
  @ApiPropertyOptional(TEST_FIELD) test?: true | undefined;
}
