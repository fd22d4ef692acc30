import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString, type ValidationArguments } from 'class-validator';
import { RECIPIENT_LENGTH_MAX, RECIPIENT_PATTERN, type Replacement } from '#billing';
import type { FieldFault } from '../http/problem.js';
import { TEST_FIELD } from '../openapi/order-fields.js';
import { aBoolean, IfGiven, OPTION_NAMES, SendOptions } from './send-options.dto.js';

/** Tells a missing field from one of another type. */
export const aString = {
  message: ({ property, value }: ValidationArguments) =>
    value === undefined ? `${property} is required.` : `${property} must be a string.`,
};

export const UNIQUE_REFERENCE = {
  type: Boolean,
  example: true,
  description:
    'True refuses the request, 409 `reference_used`, if an earlier message of the account that is still kept has one of ' +
    'its references; of a batch also if two entries have the same one of their own.',
};

/** Shapes of the send endpoints. libs/billing decides the rules for recipients and texts. */
export class SendEntry extends SendOptions {
  @ApiProperty({
    example: '+491701234567',
    pattern: RECIPIENT_PATTERN,
    maxLength: RECIPIENT_LENGTH_MAX,
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

  static readonly fields: readonly string[] = ['recipient', 'message', ...OPTION_NAMES];
  static readonly optional: readonly string[] = OPTION_NAMES;
  static readonly keepsFaults: boolean = true;
  faults?: readonly FieldFault[];
  /** What was replaced in its text, if that was asked for. */
  replacements?: readonly Replacement[];
}

/** A single message: an entry, and what is asked of the request as a whole. */
export class SendRequest extends SendEntry {
  @ApiPropertyOptional(UNIQUE_REFERENCE)
  @IfGiven()
  @IsBoolean(aBoolean)
  uniqueReference?: boolean;

  static override readonly fields = [...SendEntry.fields, 'uniqueReference'];
  static override readonly optional: readonly string[] = [...SendEntry.optional, 'uniqueReference'];
}

export class ReplacedCharacter {
  @ApiProperty({ example: '’' }) character!: string;
  @ApiProperty({ example: 'U+2019' }) codePoint!: string;
  @ApiProperty({ description: 'What stands in its place; empty if it was left out.', example: "'" })
  replacement!: string;
  @ApiProperty({ type: 'integer', description: 'How often.', example: 1 }) count!: number;
}

export const REPLACED_DESCRIPTION =
  'If `smartEncoding` was asked for: what it replaced. Empty: the text was sent as it is.';
export const SCHEDULED_FOR = {
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
