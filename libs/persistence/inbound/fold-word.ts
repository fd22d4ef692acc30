const WORD_LENGTH_MAX = 40;
/** White space, and the signs that people put around a word. */
const AROUND = /^[\s\p{P}]+|[\s\p{P}]+$/gu;

/** What no text of the database holds: NUL, and half a character. */
const UNSTORABLE = /\p{Cs}|\0/u;

/**
 * The form in which a text is compared with the words of `inbound_keyword`: without white space and punctuation around
 * it, in lower case. Undefined if it is too long for a word. Turkish pairs İ with i, and I with ı;
 * here all of them are i.
 */
export function foldWord(text: string): string | undefined {
  if (text.length > WORD_LENGTH_MAX * 2 || UNSTORABLE.test(text)) return undefined;
  const word = text
    .normalize('NFKC')
    .replace(AROUND, '')
    .replace(/\s+/g, ' ')
    .toLowerCase()
    .replace(/i\u0307|ı/g, 'i');
  return word !== '' && word.length <= WORD_LENGTH_MAX ? word : undefined;
}
