import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsBoolean, IsString, ValidateIf } from 'class-validator';
import type { Encoding, Micros } from '#billing';
import { IfGiven } from '../http/if-given.js';
import type { JsonObject } from '../http/json-body.js';
import type { FieldFault } from '../http/problem.js';
import { ARRAY_POSITION_FIELD, ENCODING_FIELD } from '../openapi/order-fields.js';
import { anArray, SendBatchRequest } from './batch.dto.js';
import { aString, SendEntry } from './messages.dto.js';
import { aBoolean, SendOptions } from './send-options.dto.js';
import { ReplacedCharacter } from './send-results.dto.js';

const isSingle = (body: { readonly messages?: unknown }) => body.messages === undefined;

/** The body of a send, or of a batch: with `messages` it is a batch. */
export class QuoteRequest extends SendOptions {
  @ValidateIf(isSingle)
  @IsString(aString)
  recipient!: string;

  @ValidateIf(isSingle)
  @IsString(aString)
  message!: string;

  @ValidateIf((body: QuoteRequest) => !isSingle(body))
  // Decorators run from the last to the first: the check for an array comes before the check of its length.
  @ArrayNotEmpty({ message: 'messages must have at least one entry.', context: { code: 'batch_empty' } })
  @IsArray(anArray)
  messages?: SendEntry[];

  @IfGiven()
  @IsBoolean(aBoolean)
  uniqueReference?: boolean;

  static readonly fields = (sent: JsonObject): readonly string[] => {
    const { fields } = SendBatchRequest;
    return isSingle(sent) ? ['recipient', 'message', ...fields] : fields;
  };
  static readonly list = { field: 'messages', entries: SendEntry };
  static readonly keepsFaults = true;
  faults?: readonly FieldFault[];
}

export class Offender {
  @ApiProperty({ example: '€' }) character!: string;
  @ApiProperty({ example: 'U+20AC' }) codePoint!: string;
  @ApiProperty({ type: 'integer', description: 'Position in UTF-16 code units, from 0.', example: 17 })
  position!: number;
}

export class QuoteEntry {
  @ApiProperty({ example: '+491701234567', description: 'As submitted.' }) recipient!: string;
  @ApiProperty(ENCODING_FIELD) encoding!: Encoding;
  @ApiProperty({
    type: [Offender],
    description: 'The characters that make the message extended; at most the first 100.',
    example: [],
  })
  offendingCharacters!: Offender[];
  @ApiProperty({ type: 'integer', description: 'Characters, or UTF-16 code units when extended.', example: 17 })
  length!: number;
  @ApiProperty({ type: 'integer', description: 'Segments that are billed and sent.', example: 1 }) segments!: number;
  @ApiProperty({ type: Number, description: 'Price of one segment.', example: 0.075 }) unitPrice!: Micros;
  @ApiProperty({ type: Number, description: 'segments x unitPrice', example: 0.075 }) price!: Micros;
  @ApiPropertyOptional({
    type: [ReplacedCharacter],
    description: 'If `smartEncoding` was asked for: what it replaces.',
  })
  replacedCharacters?: readonly ReplacedCharacter[] | undefined;
}

export class QuoteResult extends QuoteEntry {
  @ApiProperty({ example: 'EUR' }) currency!: string;
}

export class QuoteBatchEntry extends QuoteEntry {
  @ApiProperty(ARRAY_POSITION_FIELD) arrayPosition!: number;
}

export class QuoteBatchResult {
  @ApiProperty({ type: 'integer', description: 'Segments of all messages.', example: 1 }) segments!: number;
  @ApiProperty({ type: Number, description: 'What the batch would cost.', example: 0.075 }) price!: Micros;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiProperty({ type: [QuoteBatchEntry] }) messages!: QuoteBatchEntry[];
}
