import {
  type Encoding,
  EXTENDED_MESSAGE_MAX,
  EXTENDED_SEGMENT_MAX,
  EXTENDED_SINGLE_MAX,
  encodingOf,
  planSegments,
  RuleViolation,
  SEGMENTS_MAX,
  STANDARD_MESSAGE_MAX,
  STANDARD_SEGMENT_MAX,
  STANDARD_SINGLE_MAX,
} from '#billing';

/** What the counter under a text shows. */
export interface TextCount {
  readonly encoding: Encoding;
  /** Characters, or UTF-16 code units if it is extended. */
  readonly length: number;
  /** Segments that are billed; 0 for no text. */
  readonly segments: number;
  /** What the last segment still has room for; negative: how much the text is too long. */
  readonly left: number;
  /** What each of its segments holds. */
  readonly segmentMax: number;
  readonly isTooLong: boolean;
  /** The text of each segment; empty if it is too long. */
  readonly pieces: readonly string[];
}

/** Counts a text with the code by which the service bills it. */
export function countText(text: string): TextCount {
  const encoding = encodingOf(text);
  const { length } = text;
  const [singleMax, partMax, messageMax] =
    encoding === 'standard'
      ? [STANDARD_SINGLE_MAX, STANDARD_SEGMENT_MAX, STANDARD_MESSAGE_MAX]
      : [EXTENDED_SINGLE_MAX, EXTENDED_SEGMENT_MAX, EXTENDED_MESSAGE_MAX];
  const pieces = piecesOf(text);
  if (pieces === undefined) {
    // Pairs that are kept together may leave units unused, so a text of the longest length may have a segment too many.
    const left = Math.min(-1, messageMax - length);
    return { encoding, length, segments: SEGMENTS_MAX + 1, left, segmentMax: partMax, isTooLong: true, pieces: [] };
  }
  const segmentMax = pieces.length > 1 ? partMax : singleMax;
  const left = segmentMax - (pieces.at(-1)?.length ?? 0);
  const segments = length === 0 ? 0 : pieces.length;
  return { encoding, length, segments, left, segmentMax, isTooLong: false, pieces };
}

function piecesOf(text: string): readonly string[] | undefined {
  try {
    return planSegments(text).segments;
  } catch (error) {
    if (error instanceof RuleViolation) return undefined;
    throw error;
  }
}
