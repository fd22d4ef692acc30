import type { Queryable } from '../database/database.js';
import { learnTextKeys, type TextIdentity, type TextKeys, TextUnreadable } from '../texts/text-keys.js';
import type { OpenPart } from './join-parts.js';

export type StoredPart = OpenPart & { readonly content: Buffer; readonly fingerprint: Buffer };

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

/** Parts with their texts opened. One that this process cannot read must not keep the others from being stored. */
export async function openParts(database: Queryable, parts: readonly StoredPart[]): Promise<OpenPart[]> {
  await learnTextKeys(
    database,
    parts.flatMap(({ content }) => sealedText(content) ?? []),
  );
  return parts.map(({ fingerprint, ...part }) => ({
    ...part,
    content: opened(database.texts, part.content, fingerprint),
  }));
}

function opened(texts: TextKeys, content: Buffer, fingerprint: Buffer): Buffer | undefined {
  const sealed = sealedText(content);
  if (sealed === undefined) return content.subarray(1);
  try {
    return Buffer.from(texts.open(sealed, identityOf(fingerprint)), 'base64');
  } catch (error) {
    if (error instanceof TextUnreadable) return undefined;
    throw error;
  }
}

function sealedText(content: Buffer): string | undefined {
  return content[0] === 0 ? undefined : content.toString('latin1');
}

function identityOf(fingerprint: Buffer): TextIdentity {
  return `part:${fingerprint.toString('hex')}`;
}
