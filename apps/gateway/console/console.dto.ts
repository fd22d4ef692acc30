import { ApiProperty } from '@nestjs/swagger';
import { KEY_SCOPES, type KeyScope } from '#persistence';

const MOMENT = { type: String, format: 'date-time' } as const;

/** The token that has ended. */
export class EndedToken {
  @ApiProperty({ example: '7k2m9x4q', description: 'Which token it was, not the token itself.' }) id!: string;
}

/** A token for the `X-Authorization` header, and whose it is. */
export class ConsoleToken {
  @ApiProperty({
    description: 'For the X-Authorization header, in place of the key. It is shown now and never again.',
    example: 'hgc_7k2m9x4q_BFhmstRSHgH3mNcmturkMk6ww1pPO1KIuAsFnd2jObA',
  })
  token!: string;
  @ApiProperty({ ...MOMENT, description: 'After 12 hours, or with its key.', example: '2026-11-22T21:30:00.000Z' })
  expiresAt!: Date;
  @ApiProperty({ example: '1001' }) accountId!: string;
  @ApiProperty({ example: 'Acme' }) accountName!: string;
  @ApiProperty({ example: '3f9a1c0e' }) keyId!: string;
  @ApiProperty({ example: 'shop' }) keyName!: string;
  @ApiProperty({ enum: KEY_SCOPES, isArray: true, example: ['send', 'read'] }) scopes!: readonly KeyScope[];
  @ApiProperty({
    type: [String],
    description: "What its messages may have as `sender`, also the account's own.",
    example: ['Acme'],
  })
  senders!: readonly string[];
  @ApiProperty({
    type: 'integer',
    example: 1_000,
    description: 'The most entries that a batch or a quote may have, as the operator has set it.',
  })
  batchMessagesMax!: number;
  @ApiProperty({ example: false, description: 'The key is a test key, and so is the token.' }) test!: boolean;
}
