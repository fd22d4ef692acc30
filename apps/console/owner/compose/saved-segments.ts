import { countText } from './count-text.js';
import { type Offenders, replaceCharacters } from './find-offenders.js';

/** Segments of a text, and what they would be. */
export interface SavedSegments {
  readonly now: number;
  readonly instead: number;
}

/** What the text would be if everything that has a substitute were replaced; undefined if that saves nothing. */
export function savedSegments(text: string, { characters, hasMore }: Offenders): SavedSegments | undefined {
  const substitutes = new Map(
    characters.flatMap(({ character, substitute }) => (substitute ? [[character, substitute.text] as const] : [])),
  );
  if (hasMore || substitutes.size < characters.length) return undefined;
  const now = countText(text).segments;
  const instead = countText(replaceCharacters(text, substitutes)).segments;
  return instead < now ? { now, instead } : undefined;
}
