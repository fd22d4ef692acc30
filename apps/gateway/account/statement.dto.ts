import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import type { Micros } from '#billing';
import type { JsonObject } from '../http/json-body.js';
import type { FieldFault } from '../http/problem.js';
import { TEST_FIELD } from '../openapi/order-fields.js';

const MONTH = {
  description: 'A month as `2026-10`, from midnight to midnight in UTC.',
  example: '2026-10',
  pattern: '^\\d{4}-(0[1-9]|1[0-2])$',
};
const DAY = { format: 'date', description: 'In UTC.', example: '2026-10-22' };
const FORMATS = ['csv', 'html'] as const;

export class StatementPath {
  @ApiProperty(MONTH)
  @Matches(/^\d{4}-(0[1-9]|1[0-2])$/, { message: 'month must be a month, as 2026-10.' })
  month!: string;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;

  static from({ month }: JsonObject): StatementPath {
    return Object.assign(new StatementPath(), { month });
  }
}

export class StatementFormatQuery {
  @ApiPropertyOptional({
    enum: [...FORMATS],
    default: 'csv',
    description: '`csv`: for a spreadsheet. `html`: a page to print.',
  })
  @IsIn(FORMATS, { message: `format must be one of ${FORMATS.join(', ')}.` })
  format!: (typeof FORMATS)[number];

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly fields = ['format'];

  static from({ format = 'csv' }: JsonObject): StatementFormatQuery {
    return Object.assign(new StatementFormatQuery(), { format });
  }
}

class StatementMonth {
  @ApiProperty(MONTH) month!: string;
  @ApiProperty({ description: 'False: entries may still be added.', example: true }) is_final!: boolean;
}

export class StatementMonths {
  @ApiProperty({ type: [StatementMonth], description: 'Since the account was opened, newest first.' })
  data!: StatementMonth[];
}

export class StatementDeposit {
  @ApiProperty({ format: 'date-time', example: '2026-10-02T09:30:00.000Z' }) created_at!: Date;
  @ApiProperty({ type: Number, description: 'As it was paid.', example: 100 }) amount!: Micros;
  @ApiProperty({ description: 'Of the payment.', example: 'USD' }) currency!: string;
  @ApiProperty({ description: 'The rate by which it was converted.', example: '0.9215' }) fx_rate!: string;
  @ApiProperty({ type: Number, description: 'As it was booked.', example: 92.15 }) booked_amount!: Micros;
  @ApiProperty({ type: String, nullable: true, example: 'invoice-17' }) reference!: string | null;
}

export class StatementAdjustment {
  @ApiProperty({ format: 'date-time', example: '2026-10-03T09:30:00.000Z' }) created_at!: Date;
  @ApiProperty({ type: Number, description: 'Above or below 0.', example: -1.5 }) amount!: Micros;
  @ApiProperty({ type: String, nullable: true, example: 'goodwill' }) reason!: string | null;
}

export class StatementCharge {
  @ApiProperty(DAY) day!: string;
  @ApiProperty({ description: 'Country calling code.', example: '49' }) destination!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Germany' }) country!: string | null;
  @ApiProperty({ type: Number, description: 'Of a segment.', example: 0.075 }) unit_price!: Micros;
  @ApiProperty({ type: 'integer', example: 120 }) messages!: number;
  @ApiProperty({ type: 'integer', example: 131 }) segments!: number;
  @ApiProperty({ type: Number, description: '`segments` times `unit_price`.', example: 9.825 }) amount!: Micros;
}

export class StatementRefund {
  @ApiProperty(DAY) day!: string;
  @ApiProperty({ type: 'integer', example: 2 }) messages!: number;
  @ApiProperty({ type: Number, example: 0.15 }) amount!: Micros;
}

export class StatementTotals {
  @ApiProperty({ type: Number, example: 92.15 }) deposits!: Micros;
  @ApiProperty({ type: Number, example: -1.5 }) adjustments!: Micros;
  @ApiProperty({ type: Number, example: 9.825 }) charges!: Micros;
  @ApiProperty({ type: Number, example: 0.15 }) refunds!: Micros;
}

export class Statement {
  @ApiProperty(MONTH) month!: string;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiProperty({ format: 'date-time', example: '2026-10-01T00:00:00.000Z' }) from!: Date;
  @ApiProperty({ format: 'date-time', example: '2026-11-01T00:00:00.000Z' }) to!: Date;
  @ApiProperty({
    description: 'False: entries may still be added. A month is final an hour after its end.',
    example: true,
  })
  is_final!: boolean;
  @ApiProperty({ type: Number, description: 'The balance at `from`.', example: 20 }) opening_balance!: Micros;
  @ApiProperty({ type: [StatementDeposit] }) deposits!: StatementDeposit[];
  @ApiProperty({ type: [StatementAdjustment], description: 'Corrections by the operator.' })
  adjustments!: StatementAdjustment[];
  @ApiProperty({ type: [StatementCharge], description: 'Messages, as they were charged when they were accepted.' })
  charges!: StatementCharge[];
  @ApiProperty({
    type: [StatementRefund],
    description: 'What came back for messages that were not sent, on the day on which it came back.',
  })
  refunds!: StatementRefund[];
  @ApiProperty({
    type: Number,
    description: 'Charges without a line: of messages that an older version of the service dropped. Else 0.',
    example: 0,
  })
  not_itemised!: Micros;
  @ApiProperty({ type: StatementTotals }) totals!: StatementTotals;
  @ApiProperty({
    type: Number,
    description: '`opening_balance` + deposits + adjustments - charges + refunds.',
    example: 100.975,
  })
  closing_balance!: Micros;
  @ApiPropertyOptional(TEST_FIELD) test?: true | undefined;
}
