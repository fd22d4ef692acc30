import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import type { Encoding, Micros, OrderReason, OrderState } from '#billing';
import type { JsonObject } from '../http/json-body.js';
import {
  CARRIER_CODE_FIELD,
  ENCODING_FIELD,
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

/** The message that a path names, in lower case, as ids are stored and answered. */
export class MessagePath {
  @ApiProperty({
    format: 'uuid',
    example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11',
    description: 'As the send answered.',
  })
  @IsString()
  messageId!: string;

  static from({ messageId }: JsonObject): MessagePath {
    return Object.assign(new MessagePath(), { messageId: String(messageId).toLowerCase() });
  }
}

export class SegmentDetail {
  @ApiProperty({ type: 'integer', description: 'From 1.', example: 1 }) position!: number;
  @ApiProperty({ ...STATUS_FIELD, description: 'As that of the message, for this segment alone.' })
  status!: OrderState;
  @ApiProperty({ ...CARRIER_CODE_FIELD, description: 'What the carrier said of this segment last, in its own words.' })
  carrierCode!: string | null;
  @ApiProperty({ ...SENT_AT_FIELD, description: 'When the carrier had taken it.' }) sentAt!: Date | null;
  @ApiProperty({ ...FINAL_AT_FIELD, description: "When the carrier's receipt for it came." }) finalAt!: Date | null;
}

export class StatusChange {
  @ApiProperty({ format: 'date-time', example: '2026-11-20T09:31:15.012Z' }) at!: Date;
  @ApiProperty({ ...STATUS_FIELD, description: 'What it became.' }) status!: OrderState;
  @ApiProperty(REASON_FIELD) reason!: OrderReason | null;
  @ApiProperty({
    ...CARRIER_CODE_FIELD,
    description: 'What the carrier said at that moment, in its own words; also why it put the message off.',
  })
  carrierCode!: string | null;
}

export class Message {
  @ApiProperty({ format: 'uuid', example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11' }) messageId!: string;
  @ApiProperty(REFERENCE_FIELD) reference!: string | null;
  @ApiProperty(TAG_FIELD) tag!: string | null;
  @ApiProperty({ example: '+491701234567', description: 'As submitted.' }) recipient!: string;
  @ApiProperty(TEXT_FIELD) message!: string;
  @ApiProperty({ ...STATUS_FIELD, description: `The \`external_status\` of lists. ${STATUS_FIELD.description}` })
  status!: OrderState;
  @ApiProperty(REASON_FIELD) reason!: OrderReason | null;
  @ApiProperty(CARRIER_CODE_FIELD) carrierCode!: string | null;
  @ApiProperty(ENCODING_FIELD) encoding!: Encoding;
  @ApiProperty({ type: 'integer', description: 'Segments that are billed and sent.', example: 1 }) segments!: number;
  @ApiProperty({ type: Number, description: 'What was charged when it was accepted.', example: 0.075 }) price!: Micros;
  @ApiProperty({ type: Number, description: 'What is charged now: 0 once it was released.', example: 0.075 })
  amount!: Micros;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiProperty({ format: 'date-time', example: '2026-11-20T09:31:12.345Z' }) createdAt!: Date;
  @ApiProperty(SEND_AT_FIELD) sendAt!: Date | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: "The sender that was asked for; null: the account's.",
    example: null,
  })
  sender!: string | null;
  @ApiProperty({
    format: 'date-time',
    description: 'If no carrier has taken it by then, it fails and is given back.',
    example: '2026-11-22T09:31:12.345Z',
  })
  validUntil!: Date;
  @ApiProperty(SENT_AT_FIELD) sentAt!: Date | null;
  @ApiProperty(FINAL_AT_FIELD) finalAt!: Date | null;
  @ApiProperty({ type: [SegmentDetail], description: 'One entry for each segment, in their order.' })
  segmentDetails!: SegmentDetail[];
  @ApiProperty({ type: [StatusChange], description: 'Every status it has had, the oldest first.' })
  history!: StatusChange[];
  @ApiPropertyOptional(TEST_FIELD) test?: true | undefined;
}
