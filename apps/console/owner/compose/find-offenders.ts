import { codePointTag, encodingOf, type Substitute, substituteOf, visitOffending } from '#billing';

/** A place in a text that a reader sees as one character, in UTF-16 code units. */
export interface Mark {
  readonly start: number;
  readonly end: number;
}

/** A character, as a reader sees it, that makes a text extended. */
export interface Offender {
  readonly character: string;
  /** The Unicode name tags of its code points that are not in the standard set, e.g. `U+20AC`. */
  readonly codePoints: readonly string[];
  readonly count: number;
  /** Where it first stands, in UTF-16 code units. */
  readonly position: number;
  readonly substitute: Substitute | undefined;
}

export interface Offenders {
  /** In the order in which they first stand. */
  readonly characters: readonly Offender[];
  readonly marks: readonly Mark[];
  /** Whether the text has more of them than are looked for. */
  readonly hasMore: boolean;
}

/** More marks than anybody looks at; a text in another script has one for each of its letters. */
const OFFENDERS_MAX = 2_000;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The characters that make a text extended, as a reader sees them: an emoji of seven code units, or a letter with a
 * combining accent, is one.
 */
export function findOffenders(text: string): Offenders {
  const segments = graphemes.segment(text);
  const found = new Map<string, { tags: Set<string>; count: number; position: number }>();
  const marks: Mark[] = [];
  let visited = 0;
  let character = '';
  visitOffending(text, OFFENDERS_MAX + 1, (codePoint, position) => {
    visited += 1;
    if (visited > OFFENDERS_MAX) return;
    const last = marks.at(-1);
    if (last === undefined || position >= last.end) {
      const grapheme = segments.containing(position);
      const start = grapheme?.index ?? position;
      character = grapheme?.segment ?? String.fromCodePoint(codePoint);
      marks.push({ start, end: start + character.length });
      const known = found.get(character);
      if (known === undefined) found.set(character, { tags: new Set(), count: 1, position: start });
      else known.count += 1;
    }
    found.get(character)?.tags.add(codePointTag(codePoint));
  });
  const characters = [...found].map(([written, { tags, count, position }]) => ({
    character: written,
    codePoints: [...tags],
    count,
    position,
    substitute: substituteOf(written),
  }));
  return { characters, marks, hasMore: visited > OFFENDERS_MAX };
}

/** The text with characters replaced wherever they stand as a whole, and not as a part of another one. */
export function replaceCharacters(text: string, substitutes: ReadonlyMap<string, string>): string {
  let replaced = '';
  for (const { segment } of graphemes.segment(text)) replaced += substitutes.get(segment) ?? segment;
  return replaced;
}

/** The text with its look-alikes replaced, even if other characters keep it extended. */
export function replaceLookAlikes(text: string): string {
  if (encodingOf(text) === 'standard') return text;
  let replaced = '';
  for (const { segment } of graphemes.segment(text)) {
    const substitute = substituteOf(segment);
    replaced += substitute?.isLookAlike ? substitute.text : segment;
  }
  return replaced;
}
