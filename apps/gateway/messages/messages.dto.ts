import { ApiProperty } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsString, type ValidationArguments } from 'class-validator';
import type { Micros } from '#billing';
import type { JsonObject } from '../http/json-body.js';
import type { FieldFault } from '../http/problem.js';
import { unknownNames } from '../http/unknown-fields.js';

/** Tells a missing field from one of another type. */
export const aString = { message: ({ property, value }: ValidationArguments) => stringRule(property, value) };

/** Shapes of the send endpoints. libs/billing decides the rules for recipients and texts. */
export class SendRequest {
  @ApiProperty({
    example: '+491701234567',
    maxLength: 64,
    description:
      'International phone number of 7 to 15 digits: `+`, `00` or bare digits; spaces, dots, dashes and parentheses may separate digits.',
  })
  @IsString(aString)
  recipient!: string;

  @ApiProperty({
    example: 'Your code is 4711',
    minLength: 1,
    maxLength: 39_015,
    description:
      'Up to 39,015 characters of the standard set, or 16,065 UTF-16 code units once a character outside it is used.',
  })
  @IsString(aString)
  message!: string;

  static readonly keepsFaults = true;
  faults?: readonly FieldFault[];

  static from({ recipient, message }: JsonObject): SendRequest {
    return Object.assign(new SendRequest(), { recipient, message });
  }

  static unknownNames(sent: JsonObject, arrayPosition?: number): readonly FieldFault[] {
    return unknownNames(sent, ['recipient', 'message'], 'field', arrayPosition);
  }
}

export class SendBatchRequest {
  @ApiProperty({ type: [SendRequest], minItems: 1 })
  // Decorators run from the last to the first: the check for an array comes before the check of its length.
  @ArrayNotEmpty({ message: 'messages must have at least one entry.', context: { code: 'batch_empty' } })
  @IsArray({ message: 'messages must be an array.' })
  messages!: SendRequest[];

  static readonly list = { field: 'messages', entries: SendRequest };
  static readonly keepsFaults = true;
  faults?: readonly FieldFault[];

  static from({ messages }: JsonObject): SendBatchRequest {
    return Object.assign(new SendBatchRequest(), { messages });
  }

  static unknownNames(sent: JsonObject): readonly FieldFault[] {
    return unknownNames(sent, ['messages'], 'field');
  }
}

export class SendResult {
  @ApiProperty({ example: true, description: 'Always true: refusals have a status of 4xx or 5xx.' }) success!: boolean;
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
  @ApiProperty({ example: true, description: 'Always true: refusals have a status of 4xx or 5xx.' }) success!: boolean;
  @ApiProperty({ example: '1 message accepted', description: 'A sentence for a person.' }) message!: string;
  @ApiProperty({ type: String, description: 'Decimal amount taken from the balance.', example: '0.075' })
  balanceDeduction!: string;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiProperty({ type: [OrderSummaryEntry] }) orderSummary!: OrderSummaryEntry[];
}

function stringRule(field: string, value: unknown): string {
  return value === undefined ? `${field} is required.` : `${field} must be a string.`;
}
