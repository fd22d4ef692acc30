import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, Max, Min, type ValidationArguments } from 'class-validator';
import { type Micros, MoneyError, parseMicros, SEGMENTS_MAX } from '#billing';
import { IfGiven } from '../http/if-given.js';
import type { JsonObject } from '../http/json-body.js';
import { IsLabel, LABEL } from '../http/labels.js';
import { Rule } from '../http/page.js';
import { NO_ZONED_TIME, parseZonedTime } from '../http/time.js';

/** Below the largest amount that can be stored. */
const MAX_PRICE_MAXIMUM = 9_223_372_036_854;
const SENDER_LENGTH_MAX = 16;
/** How long a message may wait for a carrier. */
const VALIDITY_SECONDS = { minimum: 60, maximum: 604_800 };

export const aBoolean = { message: ({ property }: ValidationArguments) => `${property} must be true or false.` };

function aWholeNumber(minimum: number, maximum: number): { message: (rule: ValidationArguments) => string } {
  const range = `${minimum.toLocaleString('en-US')} to ${maximum.toLocaleString('en-US')}`;
  return { message: ({ property }) => `${property} must be a whole number from ${range}.` };
}

const aValidity = aWholeNumber(VALIDITY_SECONDS.minimum, VALIDITY_SECONDS.maximum);
const aSegmentCount = aWholeNumber(1, SEGMENTS_MAX);

/** What may be asked of a message; of a batch, it holds for all entries that do not ask for it themselves. */
export class SendOptions {
  @ApiPropertyOptional({
    ...LABEL,
    example: 'order-4711',
    description:
      'What you call the message, e.g. the number of an order. Answers and lists repeat it, and it finds it.',
  })
  @IfGiven()
  @IsLabel()
  reference?: string;

  @ApiPropertyOptional({
    ...LABEL,
    example: 'reminders',
    description: 'What the message belongs to, e.g. a campaign. Answers and lists repeat it, and it finds all of them.',
  })
  @IfGiven()
  @IsLabel()
  tag?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    example: '2026-12-01T08:00:00Z',
    description:
      'When it is sent: an ISO 8601 time with its zone, within the next 30 days. It is charged now, and can be ' +
      'canceled until a carrier gets it. Left out: at once.',
  })
  @IfGiven()
  @Rule<SendOptions>(({ sendAtTime }) => sendAtTime !== undefined, `${NO_ZONED_TIME}.`)
  sendAt?: string;

  @ApiPropertyOptional({
    type: 'integer',
    ...VALIDITY_SECONDS,
    example: 600,
    description:
      'For how long it may be handed to a carrier, from `sendAt` or from now on. After that it fails and is given ' +
      'back. Left out: as the operator has set it.',
  })
  @IfGiven()
  @Max(VALIDITY_SECONDS.maximum, aValidity)
  @Min(VALIDITY_SECONDS.minimum, aValidity)
  @IsInt(aValidity)
  validitySeconds?: number;

  @ApiPropertyOptional({
    type: Number,
    minimum: 0,
    maximum: MAX_PRICE_MAXIMUM,
    example: 0.1,
    description:
      'The most that the message may cost, in the currency of the account, with up to 6 decimals. If it costs more, ' +
      'the request is refused, 422 `price_above_max`.',
  })
  @IfGiven()
  @Rule<SendOptions>(
    ({ maxPriceMicros }) => maxPriceMicros !== undefined,
    `must be a number from 0 to ${MAX_PRICE_MAXIMUM.toLocaleString('en-US')} with at most 6 decimals.`,
  )
  maxPrice?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: SEGMENTS_MAX,
    example: 1,
    description: 'The most segments that it may have. If it has more, the request is refused, 422 `too_many_segments`.',
  })
  @IfGiven()
  @Max(SEGMENTS_MAX, aSegmentCount)
  @Min(1, aSegmentCount)
  @IsInt(aSegmentCount)
  maxSegments?: number;

  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    maxLength: SENDER_LENGTH_MAX,
    example: 'Acme',
    description:
      "The sender that handsets show, one of those that the operator allows. Left out: the account's. " +
      'A carrier may show another one.',
  })
  @IfGiven()
  @Rule<SendOptions>(({ sender }) => isSender(sender), `must be a string of 1 to ${SENDER_LENGTH_MAX} characters.`)
  sender?: string;

  @ApiPropertyOptional({
    type: Boolean,
    example: true,
    description:
      'True replaces typographic characters (curly quotes, dashes, special spaces, `…`) by standard ones, if that ' +
      'makes an extended message standard without more segments. The answer says what was replaced.',
  })
  @IfGiven()
  @IsBoolean(aBoolean)
  smartEncoding?: boolean;

  sendAtTime?: Date | undefined;
  maxPriceMicros?: Micros | undefined;

  /** Takes those fields of its class from an input that it has. */
  static from<Taken extends SendOptions>(this: WithOptions<Taken>, sent: JsonObject): Taken {
    const taken = new this();
    // biome-ignore lint/complexity/noThisInStatic: each class has its own.
    const { fields } = this;
    const names = typeof fields === 'function' ? fields(sent) : fields;
    const values = taken as object as Record<string, unknown>;
    for (const name of names) if (sent[name] !== undefined) values[name] = sent[name];
    if (sent.sendAt !== undefined) taken.sendAtTime = parseZonedTime(sent.sendAt);
    if (sent.maxPrice !== undefined) taken.maxPriceMicros = microsOf(sent.maxPrice);
    return taken;
  }
}

/** A class of bodies or entries that may have options. */
interface WithOptions<Taken extends SendOptions> {
  new (): Taken;
  readonly fields: readonly string[] | ((sent: JsonObject) => readonly string[]);
}

export const OPTION_NAMES = [
  'reference',
  'tag',
  'sendAt',
  'validitySeconds',
  'maxPrice',
  'maxSegments',
  'sender',
  'smartEncoding',
] as const satisfies readonly (keyof SendOptions)[];

/** Gives an entry the options of its batch that it does not have itself. */
export function inheritOptions(entry: SendOptions, batch: SendOptions): void {
  for (const name of OPTION_NAMES) {
    if (entry[name] !== undefined || batch[name] === undefined) continue;
    Object.assign(entry, { [name]: batch[name] });
    if (name === 'sendAt') entry.sendAtTime = batch.sendAtTime;
    if (name === 'maxPrice') entry.maxPriceMicros = batch.maxPriceMicros;
  }
}

/** Whether a value has the shape of a sender. */
export function isSender(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= SENDER_LENGTH_MAX;
}

function microsOf(value: unknown): Micros | undefined {
  if (typeof value !== 'number' || value < 0 || value > MAX_PRICE_MAXIMUM) return undefined;
  try {
    return parseMicros(String(value));
  } catch (error) {
    if (error instanceof MoneyError) return undefined;
    throw error;
  }
}
