import { distance } from 'fastest-levenshtein';
import type { JsonObject } from './json-body.js';
import type { FieldFault } from './problem.js';

/** Unknown names of one object that are listed; a body may have thousands. */
const NAMES_LISTED_MAX = 5;
/** Characters of a name that are compared and repeated in the answer. */
const NAME_LENGTH_MAX = 64;

/** The kind of a name, in the words of the refusal. */
export type NameKind = 'field' | 'query parameter';

const NONE: readonly FieldFault[] = [];
const LIST = new Intl.ListFormat('en-GB');

/**
 * The unknown names of an object. If the service ignored one, a wish would not be granted, and the message would be
 * charged all the same. A send without unknown names pays two comparisons of strings.
 */
export function unknownNames(
  sent: JsonObject,
  known: readonly string[],
  kind: NameKind,
  arrayPosition?: number,
): readonly FieldFault[] {
  const names = Object.keys(sent);
  if (names.every((name) => known.includes(name))) return NONE;
  const unknown = names.filter((name) => !known.includes(name));
  return unknown.slice(0, NAMES_LISTED_MAX).map((name, index) => {
    const shown = name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…`.toWellFormed() : name;
    const others = unknown.length - NAMES_LISTED_MAX;
    const more = index === NAMES_LISTED_MAX - 1 && others > 0 ? ` ${others} more are unknown.` : '';
    return {
      field: shown,
      ...(arrayPosition !== undefined && { arrayPosition }),
      code: 'unknown_field',
      detail: `Unknown ${kind} \`${shown}\`; ${advice(name, known, kind)}${more}`,
    };
  });
}

function advice(name: string, known: readonly string[], kind: NameKind): string {
  const near = nearest(name, known);
  if (near !== undefined) return `did you mean \`${near}\`?`;
  if (known.length === 0) return `this endpoint has no ${kind}s.`;
  const list = LIST.format(known.map((field) => `\`${field}\``));
  return known.length === 1 ? `the only ${kind} here is ${list}.` : `the ${kind}s here are ${list}.`;
}

/**
 * The known name that the client probably meant: a third of its letters may differ; case and separators do not count.
 */
function nearest(name: string, known: readonly string[]): string | undefined {
  const written = plain(name.slice(0, NAME_LENGTH_MAX));
  let found: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const field of known) {
    const letters = distance(written, plain(field));
    if (letters < least && letters <= field.length / 3) [found, least] = [field, letters];
  }
  return found;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]/g, '');
}
