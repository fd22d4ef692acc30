import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import type { Micros } from '#billing';
import type { JsonObject } from '../http/json-body.js';
import type { FieldFault } from '../http/problem.js';
import { BALANCE, balanceOf } from '../sandbox/sandbox.dto.js';

export class BalanceAlertRequest {
  @ApiProperty({
    ...BALANCE,
    nullable: true,
    example: '10.00',
    description: 'A decimal amount in the currency of the account, from 0 to 1000000; null ends the alert.',
  })
  @ValidateBy({
    name: 'balanceAlert',
    validator: {
      validate: (value) => value === null || balanceOf(value) !== undefined,
      defaultMessage: () => 'threshold must be a string with a decimal amount from 0 to 1000000, or null.',
    },
  })
  threshold!: string | null;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly fields = ['threshold'];

  static from({ threshold }: JsonObject): BalanceAlertRequest {
    return Object.assign(new BalanceAlertRequest(), { threshold });
  }
}

export class BalanceAlert {
  @ApiProperty({ type: Number, nullable: true, example: 10 }) threshold!: Micros | null;
  @ApiProperty({ example: 'EUR' }) currency!: string;
}
