import { codePointTag } from './invalid-characters.js';
import { countSegments, encodingOf } from './segments.js';

/** A character that was replaced in a text. */
export interface Replacement {
  /** As it was written. */
  readonly character: string;
  /** Its Unicode name tag, e.g. `U+2019`. */
  readonly codePoint: string;
  /** What stands in its place; empty if it was left out. */
  readonly replacement: string;
  /** How often. */
  readonly count: number;
}

/** A text and what was replaced in it. */
export interface SmartText {
  readonly text: string;
  readonly replacements: readonly Replacement[];
}

/**
 * Typographic characters and the standard ones that mean the same to a reader. Letters, currencies and the characters
 * of addresses (`~ [ ] { } | \ ^ /`) are not here: replaced, they would mean something else.
 */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [
    ['"', '“”„‟«»″〝〞＂'],
    ["'", '‘’‚‛‹›′`´ʹʻʼˈ＇'],
    ['-', '‐‑‒–—―−﹘﹣－'],
    ['...', '…'],
    ['*', '•·∙●'],
    [' ', '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'],
    ['\n', '\u2028\u2029'],
    ['', '\u00ad\u200b\u2060\ufeff'],
  ].flatMap(([standard = '', alikes = '']) => [...alikes].map((alike): [string, string] => [alike, standard])),
);
/**
 * What people may write instead of other characters. It reads differently, so a person decides: `smartText` does not
 * replace them.
 */
const WRITTEN_INSTEAD: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '€': 'EUR',
    '©': '(c)',
    '®': '(R)',
    '™': '(TM)',
    '[': '(',
    ']': ')',
    '{': '(',
    '}': ')',
    '~': '-',
    '|': '-',
    ß: 'ss',
    Æ: 'AE',
    æ: 'ae',
    Œ: 'OE',
    œ: 'oe',
    Ø: 'O',
    ø: 'o',
    Đ: 'D',
    đ: 'd',
    Ł: 'L',
    ł: 'l',
    ı: 'i',
  }),
);
const ANY_ALIKE = new RegExp(`[${[...LOOK_ALIKES.keys()].join('')}]`, 'gu');
const UNCHANGED: readonly Replacement[] = [];

/**
 * Replaces typographic characters, if that makes an extended text standard. If a character without a standard
 * look-alike remains, the text would stay extended, so it stays as it is. So does one that would need more segments (an
 * ellipsis becomes three characters), and one that would be empty, and refused: an invisible character becomes nothing.
 */
export function smartText(text: string): SmartText {
  if (encodingOf(text) === 'standard') return { text, replacements: UNCHANGED };
  const counts = new Map<string, number>();
  const replaced = text.replaceAll(ANY_ALIKE, (character) => {
    counts.set(character, (counts.get(character) ?? 0) + 1);
    return LOOK_ALIKES.get(character) ?? character;
  });
  const isDearer = countSegments(replaced, 'standard') > countSegments(text, 'extended');
  if (isDearer || encodingOf(replaced) === 'extended' || replaced.trim() === '')
    return { text, replacements: UNCHANGED };
  const replacements = [...counts].map(([character, count]) => ({
    character,
    codePoint: codePointTag(character.codePointAt(0) ?? 0),
    replacement: LOOK_ALIKES.get(character) ?? character,
    count,
  }));
  return { text: replaced, replacements };
}

/** What may stand in the place of a character that would make a message extended. */
export interface Substitute {
  /** In standard characters; empty if the character is invisible. */
  readonly text: string;
  /** Whether it means the same to a reader, so that `smartText` uses it as well. */
  readonly isLookAlike: boolean;
}

/**
 * The substitute of a character as a reader sees it (a grapheme): its look-alike, or what people write instead, or its
 * letter without the diacritic. Undefined if there is none, as for an emoji, a slash or another script.
 */
export function substituteOf(character: string): Substitute | undefined {
  const known = LOOK_ALIKES.get(character);
  if (known !== undefined) return { text: known, isLookAlike: true };
  const instead = WRITTEN_INSTEAD.get(character) ?? character.normalize('NFKD').replace(/\p{M}/gu, '');
  return instead === '' || encodingOf(instead) === 'extended' ? undefined : { text: instead, isLookAlike: false };
}
