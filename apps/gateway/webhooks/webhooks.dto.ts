import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min, ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';
import { lineForm } from '#billing';
import { type DisabledReason, EVENT_DAYS, EVENT_TYPES, type EventType, type Resume } from '#persistence';
import { URL_LENGTH_MAX } from '#webhooks';
import type { JsonObject } from '../http/json-body.js';
import { LINE } from '../http/labels.js';
import type { FieldFault } from '../http/problem.js';
import { NO_ZONED_TIME, parseZonedTime } from '../http/time.js';

const OVERLAP_SECONDS_MAX = 7 * 24 * 3_600;
const OVERLAP_SECONDS_DEFAULT = 24 * 3_600;
const DESCRIPTION_LENGTH_MAX = 200;

const ID = { pattern: '^we_[0-9a-z]{16}$', example: 'we_0f3k9x2m4q7t1b8z' };
const EVENT_ID = { example: 'evt_1846739871236571137_0' };
const MOMENT = { type: String, format: 'date-time' } as const;
const URL_FIELD = { format: 'uri', maxLength: URL_LENGTH_MAX, example: 'https://shop.example.com/heliograph' };
const EVENTS = { enum: EVENT_TYPES, isArray: true, minItems: 1, example: ['message.delivered', 'message.failed'] };
const LIST = new Intl.ListFormat('en-GB');

const ifGiven = (field: string): PropertyDecorator => ValidateIf((body: JsonObject) => body[field] !== undefined);

const has = (name: string, isValid: (value: unknown) => boolean, sentence: string): PropertyDecorator =>
  ValidateBy({ name, validator: { validate: isValid, defaultMessage: (given) => `${given?.property} ${sentence}` } });

const DESCRIPTION = lineForm(0, DESCRIPTION_LENGTH_MAX);
const isText = (value: unknown) => typeof value === 'string' && DESCRIPTION.test(value);
const areEvents = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => EVENT_TYPES.includes(one));
const isMoment = (value: unknown) => parseZonedTime(value) !== undefined;

const Description = () =>
  has('description', isText, `must be a text of at most ${DESCRIPTION_LENGTH_MAX} printable characters.`);
const Events = () => has('events', areEvents, `must be a list of at least one of ${LIST.format(EVENT_TYPES)}.`);
const Moment = () => has('moment', isMoment, `${NO_ZONED_TIME}.`);
const aDuration = {
  message: ({ property }: ValidationArguments) =>
    `${property} must be a whole number from 0 to ${OVERLAP_SECONDS_MAX}.`,
};

/** An endpoint without its secret, which is shown only once. */
export class Webhook {
  @ApiProperty(ID) id!: string;
  @ApiProperty(URL_FIELD) url!: string;
  @ApiProperty(EVENTS) events!: readonly EventType[];
  @ApiProperty({ example: 'shop', description: 'For people; empty if nobody gave one.' }) description!: string;
  @ApiProperty({
    enum: ['enabled', 'failing', 'disabled'],
    example: 'enabled',
    description: '`failing`: the last attempt failed, and nothing has succeeded since.',
  })
  status!: 'enabled' | 'failing' | 'disabled';
  @ApiProperty({ ...MOMENT, nullable: true, example: null }) disabledAt!: Date | null;
  @ApiProperty({
    type: String,
    enum: ['client', 'operator', 'gone', 'failing', null],
    nullable: true,
    example: null,
    description: 'Who disabled it; `gone`: the receiver answered 410; `failing`: nothing succeeded for 5 days.',
  })
  disabledReason!: DisabledReason | null;
  @ApiProperty({ ...MOMENT, nullable: true, example: null, description: 'The first failure since the last success.' })
  failingSince!: Date | null;
  @ApiProperty({
    ...MOMENT,
    nullable: true,
    example: null,
    description: 'When it is disabled if nothing succeeds before: 5 days after `failingSince`.',
  })
  disablesAt!: Date | null;
  @ApiProperty({ type: String, nullable: true, example: null, description: 'Of the last failure.' })
  lastError!: string | null;
  @ApiProperty({ ...MOMENT, nullable: true, example: '2026-11-22T09:31:12.345Z' }) lastSuccessAt!: Date | null;
  @ApiProperty({ ...MOMENT, nullable: true, example: null, description: 'Until when the old secret signs as well.' })
  overlapUntil!: Date | null;
  @ApiProperty({ ...MOMENT, example: '2026-11-22T09:30:00.000Z' }) createdAt!: Date;
}

export class WebhookWithSecret extends Webhook {
  @ApiProperty({
    description: 'With which the receiver verifies signatures. It is shown now and never again.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  })
  secret!: string;
}

export class WebhookList {
  @ApiProperty({ type: [Webhook] }) data!: Webhook[];
}

export class WebhookPath {
  @ApiProperty({ ...ID, description: 'As the answer had it when the webhook was made.' }) id!: string;

  static from({ id }: JsonObject): WebhookPath {
    return Object.assign(new WebhookPath(), { id });
  }
}

export class CreateWebhookRequest {
  @ApiProperty({
    ...URL_FIELD,
    description: 'https, with port 443 or 8443, at an address of the Internet. The operator may allow others.',
  })
  url!: string;

  @ApiProperty(EVENTS)
  @Events()
  events!: readonly EventType[];

  @ApiPropertyOptional({ ...LINE, maxLength: DESCRIPTION_LENGTH_MAX, example: 'shop' })
  @ifGiven('description')
  @Description()
  description?: string;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly fields = ['url', 'events', 'description'];

  static from({ url, events, description }: JsonObject): CreateWebhookRequest {
    return Object.assign(new CreateWebhookRequest(), { url, events, description });
  }
}

export class ChangeWebhookRequest {
  @ApiPropertyOptional(URL_FIELD) url?: string;

  @ApiPropertyOptional(EVENTS)
  @ifGiven('events')
  @Events()
  events?: readonly EventType[];

  @ApiPropertyOptional({ ...LINE, maxLength: DESCRIPTION_LENGTH_MAX, example: 'shop' })
  @ifGiven('description')
  @Description()
  description?: string;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly fields = ['url', 'events', 'description'];

  static from({ url, events, description }: JsonObject): ChangeWebhookRequest {
    return Object.assign(new ChangeWebhookRequest(), { url, events, description });
  }
}

/** The body may be left out. */
export class RotateSecretRequest {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: OVERLAP_SECONDS_MAX,
    default: OVERLAP_SECONDS_DEFAULT,
    description: 'How long requests are signed with the old secret as well.',
    example: 3_600,
  })
  @IsInt(aDuration)
  @Min(0, aDuration)
  @Max(OVERLAP_SECONDS_MAX, aDuration)
  overlapSeconds!: number;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly mayBeMissing = true;
  static readonly fields = ['overlapSeconds'];

  static from({ overlapSeconds = OVERLAP_SECONDS_DEFAULT }: JsonObject): RotateSecretRequest {
    return Object.assign(new RotateSecretRequest(), { overlapSeconds });
  }
}

/** The body may be left out. */
export class EnableWebhookRequest {
  @ApiPropertyOptional({
    enum: ['cursor', 'now'],
    default: 'cursor',
    description: `\`cursor\`: with everything that it has missed in the last ${EVENT_DAYS} days; \`now\`: with what happens from now on.`,
  })
  @IsIn(['cursor', 'now'], { message: 'resume must be cursor or now.' })
  resume!: Resume;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly mayBeMissing = true;
  static readonly fields = ['resume'];

  static from({ resume = 'cursor' }: JsonObject): EnableWebhookRequest {
    return Object.assign(new EnableWebhookRequest(), { resume });
  }
}

/** One event by its id, or those of a time. */
export class ReplayRequest {
  @ApiPropertyOptional(EVENT_ID)
  @ifGiven('eventId')
  @has('eventId', (value) => typeof value === 'string', 'must be the id of an event.')
  eventId?: string;

  @ApiPropertyOptional({ ...MOMENT, example: '2026-11-22T08:00:00Z', description: `In the last ${EVENT_DAYS} days.` })
  @ifGiven('from')
  @Moment()
  from?: string;

  @ApiPropertyOptional({ ...MOMENT, example: '2026-11-22T09:00:00Z', description: 'Excluded. By default now.' })
  @ifGiven('until')
  @Moment()
  until?: string;

  faults?: readonly FieldFault[];

  static readonly keepsFaults = true;
  static readonly fields = ['eventId', 'from', 'until'];

  static from({ eventId, from, until }: JsonObject): ReplayRequest {
    return Object.assign(new ReplayRequest(), { eventId, from, until });
  }
}

/** What is sent because the client asked for it; the deliveries tell what became of it. */
export class Requested {
  @ApiProperty({ ...EVENT_ID, type: String, nullable: true, description: 'null: the events of a time.' })
  eventId!: string | null;
}

export class Removed {
  @ApiProperty(ID) id!: string;
}
