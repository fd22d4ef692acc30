import { ApiProperty } from '@nestjs/swagger';
import { INBOUND_KEYWORDS, type InboundKeyword } from '#persistence';
import { CursorPagination } from '../http/page.js';

export class InboundMessage {
  @ApiProperty({ format: 'uuid', example: '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11' }) inboundId!: string;
  @ApiProperty({
    description: 'Who wrote it: the digits of an international number, or what the carrier names.',
    example: '491701234567',
  })
  sender!: string;
  @ApiProperty({ description: 'Your number or sender, to which it was sent.', example: '4915735000000' })
  recipient!: string;
  @ApiProperty({ description: 'Its text; `[…]` stands where a part did not come.', example: 'Yes, please' })
  message!: string;
  @ApiProperty({
    enum: [...INBOUND_KEYWORDS, null],
    type: String,
    nullable: true,
    description:
      'What its whole text asks for. `stop`: the sender is on your suppression list now. `start`: the sender is off it. ' +
      '`help`: nothing was done. Null for every other text.',
    example: null,
  })
  keyword!: InboundKeyword | null;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The last message that you sent to the sender from this number within 30 days; null if there is none.',
    example: '019aa5c3-88ef-7d11-9d0e-0d9c6f1f6c11',
  })
  inReplyTo!: string | null;
  @ApiProperty({ type: 'integer', description: 'Of a long message: how many parts it has.', example: 1 })
  parts!: number;
  @ApiProperty({ type: 'integer', description: 'How many of them did not come within an hour.', example: 0 })
  missingParts!: number;
  @ApiProperty({ format: 'date-time', example: '2026-11-20T09:31:12.345Z' }) receivedAt!: Date;
}

export class InboundMessageList {
  @ApiProperty({ type: [InboundMessage] }) data!: InboundMessage[];
  @ApiProperty({ type: CursorPagination }) pagination!: CursorPagination;
}
