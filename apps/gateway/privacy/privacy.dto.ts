import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min, ValidateIf } from 'class-validator';
import { parseRecipient, RECIPIENT_LENGTH_MAX, RECIPIENT_PATTERN } from '#billing';
import { RETENTION_DAYS_MAX, ROW_DAYS_MIN, TEXT_DAYS_MIN } from '#persistence';
import type { JsonObject } from '../http/json-body.js';
import { Rule } from '../http/page.js';
import type { FieldFault } from '../http/problem.js';

const SUCCESS = { example: true, description: 'Always true: refusals have a status of 4xx or 5xx.' };
const DAYS = { type: 'integer', nullable: true } as const;
const Days = (name: string, minimum: number): PropertyDecorator => {
  const message = `${name} must be a whole number from ${minimum} to ${RETENTION_DAYS_MAX}, or null.`;
  const rules = [
    ApiPropertyOptional({
      ...DAYS,
      minimum,
      maximum: RETENTION_DAYS_MAX,
      example: 30,
      description: 'Null removes your setting. Left out: it stays as it is.',
    }),
    ValidateIf((_body, value) => value !== undefined && value !== null),
    IsInt({ message }),
    Min(minimum, { message }),
    Max(RETENTION_DAYS_MAX, { message }),
  ];
  return (target, key) => {
    for (const rule of rules) rule(target, key as string);
  };
};

export class RetentionRequest {
  @Days('textDays', TEXT_DAYS_MIN) textDays?: number | null;
  @Days('numberDays', ROW_DAYS_MIN) numberDays?: number | null;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly fields = ['textDays', 'numberDays'];

  static from({ textDays, numberDays }: JsonObject): RetentionRequest {
    return Object.assign(new RetentionRequest(), { textDays, numberDays });
  }
}

class OwnRetention {
  @ApiProperty({ ...DAYS, example: 30 }) textDays!: number | null;
  @ApiProperty({ ...DAYS, example: null }) numberDays!: number | null;
}

export class AccountRetentionShown {
  @ApiProperty({ ...DAYS, example: 30, description: 'Days after which texts are removed; null: they are kept.' })
  textDays!: number | null;
  @ApiProperty({ ...DAYS, example: 90, description: 'Days after which numbers are redacted; null: they are kept.' })
  numberDays!: number | null;
  @ApiProperty({ type: OwnRetention, description: 'What you have set. The operator may have set fewer days.' })
  own!: OwnRetention;
}

export class RedactionRequest {
  @ApiProperty({
    type: String,
    pattern: RECIPIENT_PATTERN,
    maxLength: RECIPIENT_LENGTH_MAX,
    example: '+447700900123',
    description: 'The number, in any form in which it is sent to.',
  })
  @Rule<RedactionRequest>(
    ({ destination }) => destination !== undefined,
    'must be an international phone number.',
    'recipient_invalid',
  )
  recipient!: string;

  destination?: string | undefined;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly fields = ['recipient'];

  static from({ recipient }: JsonObject): RedactionRequest {
    const destination = typeof recipient === 'string' ? parseRecipient(recipient) : undefined;
    return Object.assign(new RedactionRequest(), { recipient, destination });
  }
}

export class NumberRedacted {
  @ApiProperty(SUCCESS) success!: boolean;
  @ApiProperty({ type: 'integer', example: 12, description: 'Messages to the number that are redacted now.' })
  sentMessages!: number;
  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'Messages to the number that are on their way: each is redacted as soon as it is final.',
  })
  laterMessages!: number;
  @ApiProperty({ type: 'integer', example: 2, description: 'Messages from the number that are redacted now.' })
  receivedMessages!: number;
  @ApiProperty({ example: true, description: 'False: there are more, which are redacted within minutes.' })
  complete!: boolean;
}

export class MessageRedacted {
  @ApiProperty(SUCCESS) success!: boolean;
  @ApiProperty({ format: 'uuid', example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11' }) messageId!: string;
  @ApiProperty({
    example: true,
    description: 'False: the message is on its way. It is redacted as soon as it is final.',
  })
  redacted!: boolean;
}
