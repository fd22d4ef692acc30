import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, Max, Min, ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';
import {
  KEY_NAME_LENGTH_MAX,
  KEY_NETWORKS_MAX,
  KEY_SCOPES,
  type KeyScope,
  keyNameProblem,
  keyNetworksProblem,
  keyScopesProblem,
} from '#persistence';
import type { JsonObject } from '../http/json-body.js';
import { LINE } from '../http/labels.js';
import { Pagination } from '../http/page.js';
import type { FieldFault } from '../http/problem.js';
import { NO_ZONED_TIME, parseZonedTime } from '../http/time.js';

export const OVERLAP_SECONDS_MAX = 7 * 24 * 3_600;
export const OVERLAP_SECONDS_DEFAULT = 24 * 3_600;

const KEY_ID = {
  pattern: '^[0-9a-z]{8}$',
  description: 'The 8 characters of the key behind `hg_` or `hg_test_`.',
  example: '3f9a1c0e',
};
const MOMENT = { type: String, format: 'date-time' } as const;
const NAME = { ...LINE, example: 'shop', minLength: 1, maxLength: KEY_NAME_LENGTH_MAX };
const NETWORKS = { type: String, isArray: true, example: ['192.0.2.0/24'], maxItems: KEY_NETWORKS_MAX };

/** Makes a decorator of a function that says what is wrong with a value. */
const has = (name: string, problemOf: (value: unknown) => string | undefined): PropertyDecorator =>
  ValidateBy({
    name,
    validator: {
      validate: (value) => problemOf(value) === undefined,
      defaultMessage: (given) => `${given?.property} ${given === undefined ? '' : problemOf(given.value)}.`,
    },
  });

/** RFC 3339 with its zone, or null. */
function momentProblem(value: unknown): string | undefined {
  if (value === null) return undefined;
  const at = parseZonedTime(value);
  if (at === undefined) return `${NO_ZONED_TIME}, or null`;
  return at.getTime() > Date.now() ? undefined : 'must lie in the future';
}

const ifGiven = (field: string): PropertyDecorator => ValidateIf((body: JsonObject) => body[field] !== undefined);
const aDuration = {
  message: ({ property }: ValidationArguments) =>
    `${property} must be a whole number from 0 to ${OVERLAP_SECONDS_MAX}.`,
};

/** A key without its text, which is shown only once. */
export class ApiKey {
  @ApiProperty(KEY_ID) keyId!: string;
  @ApiProperty({ example: 'shop', description: 'For people; empty if nobody gave one.' }) name!: string;
  @ApiProperty({ example: false, description: 'It is a test key. See [Test mode](test-mode).' }) test!: boolean;
  @ApiProperty({
    enum: KEY_SCOPES,
    isArray: true,
    example: ['send'],
    description:
      '`send`: send messages, ask for quotes, cancel. `read`: what the account shows. `manage`: keys, webhooks and ' +
      'settings. See [Keys and limits](keys).',
  })
  scopes!: readonly KeyScope[];
  @ApiProperty({ ...NETWORKS, description: 'Where it may be used from; empty: from anywhere.' })
  networks!: readonly string[];
  @ApiProperty({ enum: ['active', 'expired', 'revoked'], example: 'active' }) status!: 'active' | 'expired' | 'revoked';
  @ApiProperty({ ...MOMENT, example: '2026-11-22T09:30:00.000Z' }) createdAt!: Date;
  @ApiProperty({ ...MOMENT, nullable: true, description: 'null: never.', example: null }) expiresAt!: Date | null;
  @ApiProperty({
    ...MOMENT,
    nullable: true,
    description: 'The last request that had this key, refused ones too; up to a minute late.',
    example: '2026-11-22T09:31:12.345Z',
  })
  lastUsedAt!: Date | null;
  @ApiProperty({ ...MOMENT, nullable: true, example: null }) revokedAt!: Date | null;
}

export class CreatedApiKey extends ApiKey {
  @ApiProperty({
    description: 'The key itself, for the X-Authorization header. It is shown now and never again.',
    example: 'hg_3f9a1c0e_BFhmstRSHgH3mNcmturkMk6ww1pPO1KIuAsFnd2jObA',
  })
  apiKey!: string;
}

export class RotatedApiKey extends CreatedApiKey {
  @ApiProperty({ type: ApiKey, description: 'The old key, with the time until which it works.' })
  replacedKey!: ApiKey;
}

export class ApiKeyList {
  @ApiProperty({ type: [ApiKey] }) data!: ApiKey[];
  @ApiProperty({ type: Pagination }) pagination!: Pagination;
}

export class KeyPath {
  @ApiProperty(KEY_ID) keyId!: string;

  static from({ keyId }: JsonObject): KeyPath {
    return Object.assign(new KeyPath(), { keyId });
  }
}

export class CreateKeyRequest {
  @ApiProperty({ ...NAME, description: 'For people: what uses the key.' })
  @has('keyName', keyNameProblem)
  name!: string;

  @ApiProperty({ enum: KEY_SCOPES, isArray: true, minItems: 1, example: ['send'] })
  @has('keyScopes', keyScopesProblem)
  scopes!: readonly KeyScope[];

  @ApiPropertyOptional({
    ...NETWORKS,
    description: 'Where it may be used from; empty: from anywhere. By default those of the key of this request.',
  })
  @ifGiven('networks')
  @has('keyNetworks', keyNetworksProblem)
  networks?: readonly string[];

  @ApiPropertyOptional({
    ...MOMENT,
    nullable: true,
    description: 'null: never. By default when the key of this request expires.',
    example: '2127-01-31T00:00:00Z',
  })
  @ifGiven('expiresAt')
  @has('moment', momentProblem)
  expiresAt?: string | null;

  @ApiPropertyOptional({
    type: Boolean,
    example: true,
    description:
      'True makes a test key: its messages are paid from a test balance and never go to a carrier. A test key makes ' +
      'test keys only. See [Test mode](test-mode).',
  })
  @ifGiven('test')
  @IsBoolean({ message: 'test must be true or false.' })
  test?: boolean;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly fields = ['name', 'scopes', 'networks', 'expiresAt', 'test'];

  static from({ name, scopes, networks, expiresAt, test }: JsonObject): CreateKeyRequest {
    return Object.assign(new CreateKeyRequest(), { name, scopes, networks, expiresAt, test });
  }
}

export class RenameKeyRequest {
  @ApiProperty(NAME)
  @has('keyName', keyNameProblem)
  name!: string;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly fields = ['name'];

  static from({ name }: JsonObject): RenameKeyRequest {
    return Object.assign(new RenameKeyRequest(), { name });
  }
}

/** The body may be left out. */
export class RotateKeyRequest {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: OVERLAP_SECONDS_MAX,
    default: OVERLAP_SECONDS_DEFAULT,
    description: 'How long the old key still works, unless it expires earlier.',
    example: 3_600,
  })
  @IsInt(aDuration)
  @Min(0, aDuration)
  @Max(OVERLAP_SECONDS_MAX, aDuration)
  overlapSeconds!: number;

  @ApiPropertyOptional({
    ...MOMENT,
    nullable: true,
    description: 'Of the new key; null: never. By default when the old key would have expired without an overlap.',
    example: '2127-01-31T00:00:00Z',
  })
  @ifGiven('expiresAt')
  @has('moment', momentProblem)
  expiresAt?: string | null;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly mayBeMissing = true;
  static readonly fields = ['overlapSeconds', 'expiresAt'];

  static from({ overlapSeconds = OVERLAP_SECONDS_DEFAULT, expiresAt }: JsonObject): RotateKeyRequest {
    return Object.assign(new RotateKeyRequest(), { overlapSeconds, expiresAt });
  }
}
