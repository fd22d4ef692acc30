/**
 * The form of a text that is stored: no control characters and no halves of surrogate pairs. PostgreSQL has no place
 * for NUL in a text, and none for such a half in JSON. It counts characters as OpenAPI and PostgreSQL do: an emoji is
 * one, although it is two UTF-16 code units.
 */
export function lineForm(lengthMin: number, lengthMax: number): RegExp {
  return new RegExp(`^[^\\p{Cc}\\p{Cs}]{${lengthMin},${lengthMax}}$`, 'u');
}
