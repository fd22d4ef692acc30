import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsBoolean } from 'class-validator';
import type { Micros } from '#billing';
import type { FieldFault } from '../http/problem.js';
import { TEST_FIELD } from '../openapi/order-fields.js';
import { REPLACED_DESCRIPTION, ReplacedCharacter, SCHEDULED_FOR, SendEntry, UNIQUE_REFERENCE } from './messages.dto.js';
import { aBoolean, IfGiven, OPTION_NAMES, SendOptions } from './send-options.dto.js';

export class SendBatchRequest extends SendOptions {
  @ApiProperty({ type: [SendEntry], minItems: 1 })
  // Decorators run from the last to the first: the check for an array comes before the check of its length.
  @ArrayNotEmpty({ message: 'messages must have at least one entry.', context: { code: 'batch_empty' } })
  @IsArray({ message: 'messages must be an array.' })
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

export class OrderSummaryEntry {
  @ApiProperty({ type: 'integer', example: 0 }) arrayPosition!: number;
  @ApiProperty({ type: Number, example: 0.075 }) amount!: Micros;
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
    description: 'Names the batch where it is canceled.',
    example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c10',
  })
  batchId?: string | undefined;
  @ApiProperty({ type: [OrderSummaryEntry] }) orderSummary!: OrderSummaryEntry[];
  @ApiPropertyOptional(TEST_FIELD) test?: true | undefined;
}
