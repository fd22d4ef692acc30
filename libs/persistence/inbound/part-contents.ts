import type { Queryable } from '../database/database.js';
import { learnTextKeys, type TextIdentity, type TextKeys } from '../texts/text-keys.js';
import type { OpenPart } from './join-parts.js';

/** A part as it is stored. */
export type StoredPart = OpenPart & { readonly fingerprint: Buffer };

/** Stands before a content in clear; one that is encrypted begins with the mark of encrypted texts. */
const CLEAR = Buffer.of(0);

/** The columns of a part, of `inbound_part p`. */
export const PART_COLUMNS =
  'p.part_id::text as "partId", p.source, p.destination, p.reference, p.total, p.number, p.content, p.fingerprint';

/** The text of a part as it is stored. It may begin or end with half a character, so its code units are kept. */
export function sealContent(texts: TextKeys, text: string, fingerprint: Buffer): Buffer {
  const content = Buffer.from(text, 'utf16le');
  const base64 = content.toString('base64');
  const sealed = texts.seal(base64, identityOf(fingerprint));
  return sealed === base64 ? Buffer.concat([CLEAR, content]) : Buffer.from(sealed, 'latin1');
}

/**
 * Parts with their texts opened.
 *
 * @throws TextUnreadable when this process cannot read one
 */
export async function openParts(database: Queryable, parts: readonly StoredPart[]): Promise<OpenPart[]> {
  const sealed = (content: Buffer) => (content[0] === 0 ? undefined : content.toString('latin1'));
  await learnTextKeys(
    database,
    parts.flatMap(({ content }) => sealed(content) ?? []),
  );
  return parts.map(({ fingerprint, ...part }) => {
    const text = sealed(part.content);
    const content =
      text === undefined
        ? part.content.subarray(1)
        : Buffer.from(database.texts.open(text, identityOf(fingerprint)), 'base64');
    return { ...part, content };
  });
}

function identityOf(fingerprint: Buffer): TextIdentity {
  return `part:${fingerprint.toString('hex')}`;
}
