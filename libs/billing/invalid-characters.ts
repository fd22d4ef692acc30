/// <reference lib="es2024.string" />

/** C0 and C1 control characters and DEL, except CR and LF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose.
const CONTROL = /[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
/** These, and each half of a surrogate pair without its other half. */
const INVALID = new RegExp(`${CONTROL.source}|[\\ud800-\\udfff]`, 'u');

/** The first character that no message may contain; undefined when there is none. */
export function firstInvalidCharacter(text: string): { codePoint: string; position: number } | undefined {
  // Enough for almost every text; a search by code points takes three times as long.
  if (!CONTROL.test(text) && text.isWellFormed()) return undefined;
  const position = text.search(INVALID);
  return { codePoint: codePointTag(text.charCodeAt(position)), position };
}

/** The Unicode name tag of a code point, e.g. `U+20AC`. */
export function codePointTag(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}
