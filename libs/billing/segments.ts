import { messageTooLong, RuleViolation } from './errors.js';

/**
 * `standard`: one byte a character, GSM 7-bit on the wire. `extended`: two bytes a UTF-16 code unit, UCS-2 on the wire.
 */
export type Encoding = 'standard' | 'extended';

/**
 * Every character outside the standard set, which is CR, LF, printable ASCII without `^ / { } \ [ ] | ~` and the
 * backtick, and `£ ¥ § ¤ ¡ ¿`. The contract's list decides, not GSM 03.38. A compiled character class costs about 1 ns
 * a character on V8; a loop over a lookup table measured three times that.
 */
export const NON_STANDARD = /[^\r\n -.0-Z_a-z£¥§¤¡¿]/;

/** The character set that a text needs: one character outside the standard set makes the whole message extended. */
export function encodingOf(text: string): Encoding {
  return NON_STANDARD.test(text) ? 'extended' : 'standard';
}

/** Characters of a simple standard message. */
export const STANDARD_SINGLE_MAX = 160;
/** Characters of each segment of a concatenated standard message. */
export const STANDARD_SEGMENT_MAX = 153;
/** UTF-16 code units of a simple extended message. */
export const EXTENDED_SINGLE_MAX = 70;
/** UTF-16 code units of each segment of a concatenated extended message. */
export const EXTENDED_SEGMENT_MAX = 63;
/** Segments of one message: the concatenation header counts them in one byte (3GPP TS 23.040 section 9.2.3.24.1). */
export const SEGMENTS_MAX = 255;
/** Characters of a standard message: 255 segments of 153. */
export const STANDARD_MESSAGE_MAX = SEGMENTS_MAX * STANDARD_SEGMENT_MAX;
/** UTF-16 code units of an extended message, fewer when surrogate pairs leave a unit of a segment unused. */
export const EXTENDED_MESSAGE_MAX = SEGMENTS_MAX * EXTENDED_SEGMENT_MAX;

/**
 * Splits a text into its segments, in order, as they are billed and sent. A surrogate pair is never cut: a pair that
 * would straddle a boundary moves to the next segment whole.
 *
 * @throws RuleViolation `message_too_long` when it needs more than 255 segments.
 */
export function planSegments(text: string): { readonly encoding: Encoding; readonly segments: readonly string[] } {
  const encoding = encodingOf(text);
  const count = countSegments(text, encoding);
  if (count > SEGMENTS_MAX) throw new RuleViolation(messageTooLong(text.length, encoding, count));
  if (count === 1) return { encoding, segments: [text] };
  const segments: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = segmentEnd(text, start, encoding);
    segments.push(text.slice(start, end));
    start = end;
  }
  return { encoding, segments };
}

/**
 * The number of segments that `planSegments` makes of a text of this encoding, without making them; at least 1, and
 * more than `SEGMENTS_MAX` when the message is too long. It looks only at the boundaries, so its cost grows with the
 * segments.
 */
export function countSegments(text: string, encoding: Encoding): number {
  const { length } = text;
  if (encoding === 'standard') return length <= STANDARD_SINGLE_MAX ? 1 : Math.ceil(length / STANDARD_SEGMENT_MAX);
  if (length <= EXTENDED_SINGLE_MAX) return 1;
  let count = 0;
  for (let start = 0; start < length; count++) start = segmentEnd(text, start, 'extended');
  return count;
}

/** Where the segment of a concatenated message that begins at `start` ends. */
function segmentEnd(text: string, start: number, encoding: Encoding): number {
  if (encoding === 'standard') return Math.min(start + STANDARD_SEGMENT_MAX, text.length);
  const end = start + EXTENDED_SEGMENT_MAX;
  if (end >= text.length) return text.length;
  const cutsPair = (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return cutsPair ? end - 1 : end;
}
