import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsBoolean, IsString, ValidateIf, type ValidationArguments } from 'class-validator';
import type { Micros } from '#billing';
import type { JsonObject } from '../http/json-body.js';
import { IsLabel, LABEL_LENGTH_MAX } from '../http/labels.js';
import type { FieldFault } from '../http/problem.js';
import { unknownNames } from '../http/unknown-fields.js';

/** Tells a missing field from one of another type. */
export const aString = { message: ({ property, value }: ValidationArguments) => stringRule(property, value) };
export const aBoolean = { message: ({ property }: ValidationArguments) => `${property} must be true or false.` };

export const IfGiven = () => ValidateIf((_body, value) => value !== undefined);
const REFERENCE = {
  type: String,
  maxLength: LABEL_LENGTH_MAX,
  example: 'order-4711',
  description: 'What you call the message, e.g. the number of an order. Answers and lists repeat it, and it finds it.',
};
const TAG = {
  type: String,
  maxLength: LABEL_LENGTH_MAX,
  example: 'reminders',
  description: 'What the message belongs to, e.g. a campaign. Answers and lists repeat it, and it finds all of them.',
};
const OF_ALL = 'For all entries that have none of their own. ';
const UNIQUE_REFERENCE = {
  type: Boolean,
  example: true,
  description:
    'True refuses the request, 409 `reference_used`, if an earlier message of the account that is still kept has one of ' +
    'its references; of a batch also if two entries have the same one of their own.',
};
export const BATCH_FIELDS = ['messages', 'reference', 'tag', 'uniqueReference'];
const ENTRY_FIELDS = ['recipient', 'message', 'reference', 'tag'];

/** Shapes of the send endpoints. libs/billing decides the rules for recipients and texts. */
export class SendEntry {
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

  @ApiPropertyOptional(REFERENCE)
  @IfGiven()
  @IsLabel()
  reference?: string;

  @ApiPropertyOptional(TAG)
  @IfGiven()
  @IsLabel()
  tag?: string;

  static readonly optional: readonly string[] = ['reference', 'tag'];
  static readonly keepsFaults: boolean = true;
  faults?: readonly FieldFault[];

  static from({ recipient, message, reference, tag }: JsonObject): SendEntry {
    const entry = Object.assign(new SendEntry(), { recipient, message });
    return reference === undefined && tag === undefined ? entry : Object.assign(entry, { reference, tag });
  }

  static unknownNames(sent: JsonObject, arrayPosition?: number): readonly FieldFault[] {
    return unknownNames(sent, ENTRY_FIELDS, 'field', arrayPosition);
  }
}

/** A single message: an entry, and what is asked of the request as a whole. */
export class SendRequest extends SendEntry {
  @ApiPropertyOptional(UNIQUE_REFERENCE)
  @IfGiven()
  @IsBoolean(aBoolean)
  uniqueReference?: boolean;

  static override readonly optional: readonly string[] = [...SendEntry.optional, 'uniqueReference'];

  static override from({ recipient, message, reference, tag, uniqueReference }: JsonObject): SendRequest {
    const request = Object.assign(new SendRequest(), { recipient, message });
    if (reference === undefined && tag === undefined && uniqueReference === undefined) return request;
    return Object.assign(request, { reference, tag, uniqueReference });
  }

  static override unknownNames(sent: JsonObject): readonly FieldFault[] {
    return unknownNames(sent, [...ENTRY_FIELDS, 'uniqueReference'], 'field');
  }
}

export class SendBatchRequest {
  @ApiProperty({ type: [SendEntry], minItems: 1 })
  // Decorators run from the last to the first: the check for an array comes before the check of its length.
  @ArrayNotEmpty({ message: 'messages must have at least one entry.', context: { code: 'batch_empty' } })
  @IsArray({ message: 'messages must be an array.' })
  messages!: SendEntry[];

  @ApiPropertyOptional({ ...REFERENCE, description: OF_ALL + REFERENCE.description })
  @IfGiven()
  @IsLabel()
  reference?: string;

  @ApiPropertyOptional({ ...TAG, description: OF_ALL + TAG.description })
  @IfGiven()
  @IsLabel()
  tag?: string;

  @ApiPropertyOptional(UNIQUE_REFERENCE)
  @IfGiven()
  @IsBoolean(aBoolean)
  uniqueReference?: boolean;

  static readonly list = { field: 'messages', entries: SendEntry };
  static readonly keepsFaults = true;
  faults?: readonly FieldFault[];

  static from({ messages, reference, tag, uniqueReference }: JsonObject): SendBatchRequest {
    return Object.assign(new SendBatchRequest(), { messages, reference, tag, uniqueReference });
  }

  static unknownNames(sent: JsonObject): readonly FieldFault[] {
    return unknownNames(sent, BATCH_FIELDS, 'field');
  }
}

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
