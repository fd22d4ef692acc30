import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  type Encoding,
  JOURNAL_KINDS,
  type JournalKind,
  type Micros,
  ORDER_STATES,
  type OrderReason,
  type OrderState,
} from '#billing';
import { CursorPagination } from '../http/page.js';
import {
  CARRIER_CODE_FIELD,
  FINAL_AT_FIELD,
  REASON_FIELD,
  REFERENCE_FIELD,
  SEND_AT_FIELD,
  SENT_AT_FIELD,
  STATUS_FIELD,
  TAG_FIELD,
  TEST_FIELD,
  TEXT_FIELD,
} from '../openapi/order-fields.js';

class MessageTotals {
  @ApiProperty({ type: 'integer', description: 'All ever, also those that are no longer listed.', example: 1 })
  count!: number;
  @ApiProperty({ type: Number, example: 0.075 }) totalAmount!: Micros;
}

class OrderTotals {
  @ApiProperty({ type: MessageTotals }) messages!: MessageTotals;
}

export class AccountSummary {
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiProperty({ type: Number, description: 'All deposits, in the account currency.', example: 100 })
  totalDeposits!: Micros;
  @ApiProperty({ type: Number, description: 'totalDeposits - creditRemaining', example: 0.075 })
  totalConsumed!: Micros;
  @ApiProperty({ type: Number, description: 'The balance; can be negative.', example: 99.925 })
  creditRemaining!: Micros;
  @ApiProperty({ type: OrderTotals }) orderSummary!: OrderTotals;
  @ApiPropertyOptional(TEST_FIELD) test?: true | undefined;
}

export class Balance {
  @ApiProperty({ type: Number, example: 99.925 }) balance!: Micros;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiPropertyOptional(TEST_FIELD) test?: true | undefined;
}

export class Deposit {
  @ApiProperty({ type: Number, description: 'Negative for a correction by the operator.', example: 100 })
  amount!: Micros;
  @ApiProperty({ description: 'Of the deposit; may differ from the account currency.', example: 'EUR' })
  currency!: string;
  @ApiProperty({ format: 'date-time', example: '2026-11-20T09:30:00.000Z' }) created_at!: Date;
  @ApiProperty({ enum: ['deposit', 'adjustment'], description: 'An adjustment is a correction.', example: 'deposit' })
  kind!: 'deposit' | 'adjustment';
  @ApiProperty({
    type: Number,
    description: 'In the account currency, at the rate of the day it was booked.',
    example: 100,
  })
  converted_amount!: Micros;
  @ApiProperty({ description: 'The account currency.', example: 'EUR' }) converted_currency!: string;
  @ApiProperty({ type: String, nullable: true, description: 'Given by the operator.', example: 'INV-2026-117' })
  reference!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Given by the operator, of an adjustment.', example: null })
  reason!: string | null;
}

export class DepositList {
  @ApiProperty({ type: [Deposit] }) data!: Deposit[];
  @ApiProperty({ type: CursorPagination }) pagination!: CursorPagination;
}

export class MessageOrder {
  @ApiProperty({ format: 'uuid', example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11' }) message_uuid!: string;
  @ApiProperty({ example: '+491701234567', description: 'As submitted.' }) recipient!: string;
  @ApiProperty(TEXT_FIELD) message!: string;
  @ApiProperty({ type: Number, description: '0 once it was released.', example: 0.075 }) amount!: Micros;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiProperty(STATUS_FIELD) external_status!: OrderState;
  @ApiProperty({ format: 'date-time', example: '2026-11-20T09:31:12.345Z' }) created_at!: Date;
  @ApiProperty({ type: 'integer', description: 'Segments that are billed and sent.', example: 1 }) segments!: number;
  @ApiProperty({ enum: ['standard', 'extended'], example: 'standard' }) encoding!: Encoding;
  @ApiProperty(REASON_FIELD) reason!: OrderReason | null;
  @ApiProperty(CARRIER_CODE_FIELD) carrier_code!: string | null;
  @ApiProperty(SENT_AT_FIELD) sent_at!: Date | null;
  @ApiProperty(FINAL_AT_FIELD) final_at!: Date | null;
  @ApiProperty(REFERENCE_FIELD) reference!: string | null;
  @ApiProperty(TAG_FIELD) tag!: string | null;
  @ApiProperty(SEND_AT_FIELD) send_at!: Date | null;
  @ApiPropertyOptional(TEST_FIELD) test?: true | undefined;
}

export class MessageOrderList {
  @ApiProperty({ type: [MessageOrder] }) data!: MessageOrder[];
  @ApiProperty({ type: CursorPagination }) pagination!: CursorPagination;
}

export class LedgerEntry {
  @ApiProperty({ type: 'integer', description: 'Numbered from 1, without gaps.', example: 2 }) entry!: number;
  @ApiProperty({
    enum: Object.keys(JOURNAL_KINDS),
    description:
      '`deposit`: money came in. `reserve`: messages were accepted. `capture`: carriers took messages; the balance ' +
      'stays, because it was reduced when they were accepted. `release`: messages never left, and are given back. ' +
      '`refund`: a charge was given back. `adjust`: a correction by the operator.',
    example: 'reserve',
  })
  kind!: JournalKind;
  @ApiProperty({ type: Number, description: 'What was moved; above 0.', example: 0.075 }) amount!: Micros;
  @ApiProperty({ type: Number, description: 'By how much the balance grew; negative if it fell.', example: -0.075 })
  balance_change!: Micros;
  @ApiProperty({ type: Number, description: 'The balance that the entry left.', example: 99.925 })
  balance_after!: Micros;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Of how many messages; null if of none.', example: 1 })
  messages!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Given by the operator, of an adjustment.', example: null })
  reason!: string | null;
  @ApiProperty({ format: 'date-time', example: '2026-11-20T09:31:12.345Z' }) created_at!: Date;
}

export class LedgerList {
  @ApiProperty({ type: [LedgerEntry] }) data!: LedgerEntry[];
  @ApiProperty({ type: CursorPagination }) pagination!: CursorPagination;
}

export class UsageItem {
  @ApiProperty({ format: 'date', description: 'Of acceptance, in UTC.', example: '2026-11-20' }) day!: string;
  @ApiProperty({ description: 'Country calling code of the recipients.', example: '49' }) destination!: string;
  @ApiProperty({
    enum: ORDER_STATES.filter((state) => state !== 'sending'),
    description: 'The status of the messages now. Messages that are being sent count as `queued`.',
    example: 'delivered',
  })
  status!: Exclude<OrderState, 'sending'>;
  @ApiProperty({ type: 'integer', example: 120 }) messages!: number;
  @ApiProperty({ type: 'integer', example: 131 }) segments!: number;
  @ApiProperty({ type: Number, description: 'What they cost now.', example: 9.825 }) amount!: Micros;
  @ApiProperty({ example: 'EUR' }) currency!: string;
}

export class Usage {
  @ApiProperty({ format: 'date', description: 'The first day.', example: '2026-11-01' }) from!: string;
  @ApiProperty({ format: 'date', description: 'The day after the last one.', example: '2026-12-01' }) to!: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'Messages accepted from this time on are not counted yet: an account has sent very many in the last minutes. ' +
      'Null: all are.',
    example: null,
  })
  counted_until!: Date | null;
  @ApiProperty({ type: [UsageItem] }) data!: UsageItem[];
}
