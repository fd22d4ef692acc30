import type { ApiPropertyOptions } from '@nestjs/swagger';
import { ORDER_REASONS, ORDER_STATES } from '#billing';

/** Fields that several answers have, described once. */
export const STATUS_FIELD = {
  enum: [...ORDER_STATES],
  example: 'delivered',
  description:
    '`scheduled`: accepted, to be sent later. `queued`: accepted. `sending`: a worker has it. `sent`: the carrier took ' +
    'all segments. `delivered`, `undelivered`: as the carrier reported. `failed`: it never left, or not all of it; only ' +
    'segments that a carrier took are charged. `canceled`: its client stopped it, or its recipient opted out, before a ' +
    'carrier had it; it is not charged. `unknown`: no receipt came in time.',
} satisfies ApiPropertyOptions;

export const REASON_FIELD = {
  enum: [...Object.keys(ORDER_REASONS), null],
  nullable: true,
  type: String,
  description: `Why it is \`failed\`, \`undelivered\`, \`unknown\` or \`canceled\`, if there is a reason; else null. ${Object.entries(
    ORDER_REASONS,
  )
    .map(([reason, meaning]) => `\`${reason}\`: ${meaning}.`)
    .join(' ')} Words may be added.`,
  example: null,
} satisfies ApiPropertyOptions;

export const CARRIER_CODE_FIELD = {
  type: String,
  nullable: true,
  description: 'What the carrier said when the message ended, in its own words; null where it said nothing.',
  example: 'DELIVRD',
} satisfies ApiPropertyOptions;

export const SENT_AT_FIELD = {
  type: String,
  format: 'date-time',
  nullable: true,
  description: 'When the carrier had taken all segments.',
  example: '2026-11-20T09:31:12.890Z',
} satisfies ApiPropertyOptions;

export const FINAL_AT_FIELD = {
  type: String,
  format: 'date-time',
  nullable: true,
  description:
    'When it became `delivered`, `undelivered`, `failed`, `canceled` or `unknown`; a late receipt can change it once more.',
  example: '2026-11-20T09:31:15.012Z',
} satisfies ApiPropertyOptions;

export const SEND_AT_FIELD = {
  type: String,
  format: 'date-time',
  nullable: true,
  description: 'The time for which it was scheduled; null: it was to be sent at once.',
  example: null,
} satisfies ApiPropertyOptions;

export const TEXT_FIELD = {
  example: 'Your code is 4711',
  description: 'Empty once the text was removed, after the days for which texts are kept or at once.',
} satisfies ApiPropertyOptions;

export const REFERENCE_FIELD = {
  type: String,
  nullable: true,
  description: 'What the client called it when it was sent; null if nothing.',
  example: 'order-4711',
} satisfies ApiPropertyOptions;

export const TAG_FIELD = {
  type: String,
  nullable: true,
  description: 'What the client said that it belongs to; null if nothing.',
  example: 'reminders',
} satisfies ApiPropertyOptions;

/** Of an entry of a batch. */
export const ARRAY_POSITION_FIELD = {
  type: 'integer',
  description: 'The place of the entry in `messages`, from 0.',
  example: 0,
} satisfies ApiPropertyOptions;

export const ENCODING_FIELD = {
  enum: ['standard', 'extended'],
  description: 'One byte a character, or two bytes a UTF-16 code unit. See [Text, segments and price](text).',
  example: 'standard',
} satisfies ApiPropertyOptions;

/** Live answers are without it. */
export const TEST_FIELD = {
  type: Boolean,
  enum: [true],
  description: 'With a test key only. See [Test mode](test-mode).',
  example: true,
};
