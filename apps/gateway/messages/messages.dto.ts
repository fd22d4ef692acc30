import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString, type ValidationArguments } from 'class-validator';
import { RECIPIENT_LENGTH_MAX, RECIPIENT_PATTERN, type Replacement } from '#billing';
import { IfGiven } from '../http/if-given.js';
import type { FieldFault } from '../http/problem.js';
import { aBoolean, OPTION_NAMES, SendOptions } from './send-options.dto.js';

/** Tells a missing field from one of another type. */
export function aValueOf(kind: string): { message: (rule: ValidationArguments) => string } {
  return {
    message: ({ property, value }) =>
      value === undefined ? `${property} is required.` : `${property} must be ${kind}.`,
  };
}

export const aString = aValueOf('a string');

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
}
