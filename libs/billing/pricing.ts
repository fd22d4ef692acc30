import {
  MESSAGE_EMPTY,
  messageInvalidCharacter,
  messageTooLong,
  NO_RATE,
  RECIPIENT_INVALID,
  type Violation,
} from './errors.js';
import { firstInvalidCharacter } from './invalid-characters.js';
import type { Micros } from './money.js';
import { countSegments, type Encoding, encodingOf, SEGMENTS_MAX } from './segments.js';

/** Prices by prefix, ready to be searched. Made by `buildTariff`. */
export interface Tariff {
  readonly prices: ReadonlyMap<string, Micros>;
  /** The lengths that prefixes have, longest first: at most 15 look-ups find a price. */
  readonly prefixLengths: readonly number[];
}

/** A message as the client submits it. */
export interface MessageRequest {
  readonly recipient: string;
  readonly message: string;
}

/** The encoding, the segments and the price of a message. */
export interface MessageQuote {
  /** E.164 digits without plus sign. */
  readonly destination: string;
  readonly encoding: Encoding;
  /** Segments that are billed and sent. */
  readonly segments: number;
  /** Price of one segment. */
  readonly unitPrice: Micros;
  /** `segments` x `unitPrice`. */
  readonly price: Micros;
}

/** Characters of a recipient as submitted, separators included. */
export const RECIPIENT_LENGTH_MAX = 64;

const E164 = /^[1-9][0-9]{6,14}$/;
/** What `parseRecipient` takes, also for clients that check a number before they send it. */
export const RECIPIENT_PATTERN = '^[ .()-]*(?:(?:\\+|0[ .()-]*0)[ .()-]*)?[1-9](?:[ .()-]*[0-9]){6,14}[ .()-]*$';
const RECIPIENT = new RegExp(RECIPIENT_PATTERN);

/**
 * The digits of a phone number in E.164 form, without a plus sign; undefined if the text is not a number. Accepts `+`,
 * `00` or bare digits in front of the country code, and spaces, dots, dashes and parentheses between them; 7 to 15
 * digits must remain, the first of them 1 to 9 (ITU-T E.164 section 6).
 */
export function parseRecipient(text: string): string | undefined {
  if (E164.test(text)) return text;
  if (text.length > RECIPIENT_LENGTH_MAX || !RECIPIENT.test(text)) return undefined;
  // In front of the country code and between the digits.
  return text.replace(/^[^1-9]+|[^0-9]+/g, '');
}

/** Prices a message, or says the first rule that it breaks: recipient, text, then price. */
export function quoteMessage(request: MessageRequest, tariff: Tariff): MessageQuote | Violation {
  const destination = parseRecipient(request.recipient);
  if (destination === undefined) return RECIPIENT_INVALID;
  const text = measureText(request.message);
  if ('code' in text) return text;
  const unitPrice = findPrice(tariff, destination);
  if (unitPrice === undefined) return NO_RATE;
  const { encoding, segments } = text;
  return { destination, encoding, segments, unitPrice, price: BigInt(segments) * unitPrice };
}

/** Tells the two answers of `quoteMessage` apart. */
export function isViolation(answer: MessageQuote | Violation): answer is Violation {
  return 'code' in answer;
}

/**
 * The character set and the segments of a text, or the rule that it breaks. A standard text is scanned once: it has no
 * forbidden character, so only an extended text is searched for those.
 */
export function measureText(text: string): Pick<MessageQuote, 'encoding' | 'segments'> | Violation {
  if (text.trim() === '') return MESSAGE_EMPTY;
  const encoding = encodingOf(text);
  const segments = countSegments(text, encoding);
  if (segments > SEGMENTS_MAX) return messageTooLong(text.length, encoding, segments);
  const invalid = encoding === 'extended' ? firstInvalidCharacter(text) : undefined;
  return invalid === undefined ? { encoding, segments } : messageInvalidCharacter(invalid);
}

/** The price of a segment to a number (E.164 digits): that of its longest prefix; undefined if none matches. */
export function findPrice(tariff: Tariff, e164: string): Micros | undefined {
  for (const length of tariff.prefixLengths) {
    const price = tariff.prices.get(e164.slice(0, length));
    if (price !== undefined) return price;
  }
  return undefined;
}
