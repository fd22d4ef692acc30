import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { type Micros, parseMicros } from '#billing';
import type { JsonObject } from '../http/json-body.js';
import type { FieldFault } from '../http/problem.js';

const BALANCE_MAX: Micros = 1_000_000_000_000n;
/** The OpenAPI schema of what `balanceOf` reads, without its maximum. */
export const BALANCE = { type: String, pattern: '^[0-9]+(\\.[0-9]{1,6})?$' };

export class TestBalanceRequest {
  @ApiProperty({
    ...BALANCE,
    example: '25.50',
    description: 'A decimal amount in the currency of the account, from 0 to 1000000.',
  })
  @ValidateBy({
    name: 'testBalance',
    validator: {
      validate: (value) => balanceOf(value) !== undefined,
      defaultMessage: () => 'balance must be a string with a decimal amount from 0 to 1000000.',
    },
  })
  balance!: string;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly fields = ['balance'];

  static from({ balance }: JsonObject): TestBalanceRequest {
    return Object.assign(new TestBalanceRequest(), { balance });
  }
}

/** Undefined when it is no amount that a sandbox can have. */
export function balanceOf(value: unknown): Micros | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    const balance = parseMicros(value);
    return balance >= 0n && balance <= BALANCE_MAX ? balance : undefined;
  } catch {
    return undefined;
  }
}
