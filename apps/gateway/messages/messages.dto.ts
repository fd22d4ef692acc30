import { ApiProperty } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsObject, IsString, ValidateNested, type ValidationArguments } from 'class-validator';
import type { Micros } from '#billing';
import { isJsonObject, type JsonObject } from '../http/json-body.js';
import type { FieldFault } from '../http/problem.js';
import { contentFaults } from './price-drafts.js';

/** Says which of the two it is: missing, or of another type. */
export const aString = { message: ({ property, value }: ValidationArguments) => stringRule(property, value) };

/** Shapes of the send endpoints. What a recipient and a text must be like is decided in libs/billing. */
export class SendRequest {
  @ApiProperty({
    example: '+491701234567',
    description:
      'International phone number: `+`, `00` or bare digits; spaces, dots, dashes and parentheses may separate digits.',
  })
  @IsString(aString)
  recipient!: string;

  @ApiProperty({
    example: 'Your code is 4711',
    description:
      'Up to 39,015 characters of the standard set, or 16,065 UTF-16 code units once a character outside it is used.',
  })
  @IsString(aString)
  message!: string;

  static from({ recipient, message }: JsonObject): SendRequest {
    return Object.assign(new SendRequest(), { recipient, message });
  }
}

/** The entries of a batch; what is none stays as it is, for the rules to find. */
export function entriesFrom(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  return messages.map((entry) => (isJsonObject(entry) ? SendRequest.from(entry) : entry));
}

export class SendBatchRequest {
  @ApiProperty({ type: [SendRequest], minItems: 1 })
  // Decorators are applied from the last to the first: that it is an array is checked before its length.
  @IsObject({ each: true })
  @ArrayNotEmpty({ message: 'messages must have at least one entry.', context: { code: 'batch_empty' } })
  @IsArray({ message: 'messages must be an array.' })
  @ValidateNested({ each: true })
  messages!: SendRequest[];

  static from({ messages }: JsonObject): SendBatchRequest {
    return Object.assign(new SendBatchRequest(), { messages: entriesFrom(messages) });
  }

  static contentFaults({ messages }: SendBatchRequest): FieldFault[] {
    return contentFaults(messages);
  }
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

function stringRule(field: string, value: unknown): string {
  return value === undefined ? `${field} is required.` : `${field} must be a string.`;
}
