import { codePointTag } from './invalid-characters.js';
import { NON_STANDARD } from './segments.js';

/** A character that makes a message extended. */
export interface OffendingCharacter {
  /** The character as written; both halves of a surrogate pair. */
  readonly character: string;
  /** Index of its first UTF-16 code unit in the text, as in JavaScript, Java and C#. */
  readonly position: number;
  /** Its Unicode name tag, e.g. `U+20AC`. */
  readonly codePoint: string;
}

/** How many offending characters are listed unless the caller asks for another number. */
export const OFFENDING_CHARACTERS_MAX = 100;

const NON_STANDARD_WHOLE = new RegExp(NON_STANDARD.source, 'gu');

/** The characters that make a text extended, in order, at most `max`; none when it is standard. */
export function offendingCharacters(text: string, max: number = OFFENDING_CHARACTERS_MAX): OffendingCharacter[] {
  const found: OffendingCharacter[] = [];
  visitOffending(text, max, (codePoint, position) => {
    found.push({ character: String.fromCodePoint(codePoint), position, codePoint: codePointTag(codePoint) });
  });
  return found;
}

/**
 * Calls `visit` with each character that makes a text extended, in order, at most `max` times. Nothing is allocated: a
 * quote of a thousand long texts has a hundred thousand of them.
 */
export function visitOffending(text: string, max: number, visit: (codePoint: number, position: number) => void): void {
  NON_STANDARD_WHOLE.lastIndex = 0;
  for (let left = max; left > 0 && NON_STANDARD_WHOLE.test(text); left -= 1) {
    const { lastIndex } = NON_STANDARD_WHOLE;
    // What was matched has two units if a surrogate pair ends here.
    const position = (text.codePointAt(lastIndex - 2) ?? 0) > 0xffff ? lastIndex - 2 : lastIndex - 1;
    visit(text.codePointAt(position) ?? 0, position);
  }
}
