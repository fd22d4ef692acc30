import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type Micros, parseRecipient, RECIPIENT_LENGTH_MAX, RECIPIENT_PATTERN } from '#billing';
import { SUPPRESSION_REASON_LENGTH_MAX, SUPPRESSION_SOURCES, type SuppressionSource } from '#persistence';
import { IfGiven } from '../http/if-given.js';
import type { JsonObject } from '../http/json-body.js';
import { IsLine, LINE } from '../http/labels.js';
import { PageQuery, Pagination, Rule } from '../http/page.js';
import type { FieldFault } from '../http/problem.js';

const NUMBER = { type: String, pattern: RECIPIENT_PATTERN, maxLength: RECIPIENT_LENGTH_MAX, example: '+447700900123' };
const IsNumber = () =>
  Rule<{ readonly destination: string | undefined }>(
    ({ destination }) => destination !== undefined,
    'must be an international phone number.',
    'recipient_invalid',
  );
const digitsOf = (number: unknown) => (typeof number === 'string' ? parseRecipient(number) : undefined);

export class SuppressionRequest {
  @ApiProperty({ ...NUMBER, description: 'The number, in any form in which it is sent to.' })
  @IsNumber()
  recipient!: string;

  @ApiPropertyOptional({ ...LINE, minLength: 1, maxLength: SUPPRESSION_REASON_LENGTH_MAX, example: 'letter' })
  @IfGiven()
  @IsLine(SUPPRESSION_REASON_LENGTH_MAX)
  reason?: string;

  destination?: string | undefined;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly fields = ['recipient', 'reason'];

  static from({ recipient, reason }: JsonObject): SuppressionRequest {
    return Object.assign(new SuppressionRequest(), { recipient, reason, destination: digitsOf(recipient) });
  }
}

export class SuppressionPath {
  @ApiProperty({ ...NUMBER, description: 'The number, in any form in which it is sent to.' })
  @IsNumber()
  recipient!: string;

  destination?: string | undefined;
  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;

  static from({ recipient }: JsonObject): SuppressionPath {
    return Object.assign(new SuppressionPath(), { recipient, destination: digitsOf(recipient) });
  }
}

export class SuppressionQuery extends PageQuery {
  @ApiPropertyOptional({ ...NUMBER, description: 'Only the entry of this number, if it has one.' })
  @IfGiven()
  @IsNumber()
  recipient?: string;

  destination?: string | undefined;

  static override readonly fields = ['page', 'limit', 'recipient'];

  static override from(sent: JsonObject): SuppressionQuery {
    const { recipient } = sent;
    return Object.assign(new SuppressionQuery(), PageQuery.from(sent), { recipient, destination: digitsOf(recipient) });
  }
}

export class SuppressionItem {
  @ApiProperty({
    example: '5f2b8c1d9e0a4f3b6c7d8e9f0a1b2c3d',
    description: 'A keyed hash of the number. The number itself is not kept.',
  })
  id!: string;
  @ApiProperty({
    enum: SUPPRESSION_SOURCES,
    description: 'Who wanted it: you (`client`), the operator, or the recipient with a STOP word.',
  })
  source!: SuppressionSource;
  @ApiProperty({ type: String, nullable: true, example: null }) reason!: string | null;
  @ApiProperty({ type: String, format: 'date-time' }) created_at!: Date;
}

export class SuppressionList {
  @ApiProperty({ type: [SuppressionItem] }) data!: SuppressionItem[];
  @ApiProperty({ type: Pagination }) pagination!: Pagination;
}

export class SuppressionAdded {
  @ApiProperty({ example: true, description: 'Always true: refusals have a status of 4xx or 5xx.' }) success!: boolean;
  @ApiProperty({ example: true, description: 'False: the number was on the list already.' }) added!: boolean;
  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'Messages to the number that no carrier had: they are canceled and given back.',
  })
  canceledMessages!: number;
}

export class SuppressionRemoved {
  @ApiProperty({ example: true, description: 'Always true: refusals have a status of 4xx or 5xx.' }) success!: boolean;
  @ApiProperty({ example: true, description: 'False: the number was not on the list.' }) removed!: boolean;
}

const AMOUNT = { type: Number, nullable: true } as const;
const COUNT = { type: 'integer', nullable: true } as const;

/** Null where there is none. */
export class AccountGuardsShown {
  @ApiProperty({
    type: String,
    isArray: true,
    nullable: true,
    example: ['GB', 'DE'],
    description: 'Messages go to these countries only: ISO 3166-1 codes; 001 for satellites and networks.',
  })
  countries!: readonly string[] | null;
  @ApiProperty({ ...AMOUNT, example: 0.05, description: 'The highest price of a segment.' }) priceMax!: Micros | null;
  @ApiProperty({ ...AMOUNT, example: 10, description: 'What messages may cost in a day (UTC), today.' })
  spendDayMax!: Micros | null;
  @ApiProperty({ ...AMOUNT, example: 200, description: 'What messages may cost in a month (UTC).' })
  spendMonthMax!: Micros | null;
  @ApiProperty({ ...COUNT, example: null, description: 'Messages to one number in an hour.' })
  recipientHourMax!: number | null;
  @ApiProperty({ ...COUNT, example: 200, description: 'Messages to one range of numbers in an hour.' })
  rangeHourMax!: number | null;
  @ApiProperty({
    type: 'integer',
    example: 4,
    description: 'Numbers that differ in their last so many digits only are a range.',
  })
  rangeDigits!: number;
  @ApiProperty({ example: 'EUR' }) currency!: string;
}
