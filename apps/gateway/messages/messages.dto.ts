import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayNotEmpty, IsArray, IsString, ValidateNested } from 'class-validator';
import type { Micros } from '#billing';

/** Shapes of the send endpoints. What a recipient and a text must be like is decided in libs/billing. */
export class SendRequest {
  @ApiProperty({
    example: '+491701234567',
    description:
      'International phone number: `+`, `00` or bare digits; spaces, dots, dashes and parentheses may separate digits.',
  })
  @IsString({ message: 'recipient must be a string' })
  recipient!: string;

  @ApiProperty({
    example: 'Your code is 4711',
    description:
      'Up to 39,015 characters of the standard set, or 16,065 UTF-16 code units once a character outside it is used.',
  })
  @IsString({ message: 'message must be a string' })
  message!: string;
}

export class SendBatchRequest {
  @ApiProperty({ type: [SendRequest], minItems: 1 })
  // Decorators are applied from the last to the first: that it is an array is checked before its length.
  @ArrayNotEmpty({ message: 'messages must have at least one entry', context: { code: 'batch_empty' } })
  @IsArray({ message: 'messages must be an array' })
  @ValidateNested({ each: true })
  @Type(() => SendRequest)
  messages!: SendRequest[];
}

export class SendResult {
  @ApiProperty({ example: true }) success!: boolean;
  @ApiProperty({ format: 'uuid', example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11' }) messageId!: string;
  @ApiProperty({ type: String, description: 'Decimal amount taken from the balance.', example: '0.075' })
  balanceDeduction!: string;
  @ApiProperty({ example: 'EUR' }) currency!: string;
}

export class OrderSummaryEntry {
  @ApiProperty({ type: 'integer', example: 0 }) arrayPosition!: number;
  @ApiProperty({ type: Number, example: 0.075 }) amount!: Micros;
  @ApiProperty({ example: '+491701234567', description: 'As submitted.' }) recipient!: string;
  @ApiProperty({ format: 'uuid', example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11' }) messageId!: string;
}

export class SendBatchResult {
  @ApiProperty({ example: true }) success!: boolean;
  @ApiProperty({ example: '1 message accepted' }) message!: string;
  @ApiProperty({ type: String, description: 'Decimal amount taken from the balance.', example: '0.075' })
  balanceDeduction!: string;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiProperty({ type: [OrderSummaryEntry] }) orderSummary!: OrderSummaryEntry[];
}
