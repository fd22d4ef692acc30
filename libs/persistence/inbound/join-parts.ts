import { clearText } from '../texts/text-keys.js';

/** A stored part of a long message. */
export interface OpenPart {
  readonly partId: string;
  readonly source: string;
  readonly destination: string;
  readonly reference: number;
  readonly total: number;
  readonly number: number;
  /** UTF-16 code units, the low octet first; undefined: this process cannot read it. */
  readonly content: Buffer | undefined;
}

/** A message that is to be stored. */
export interface JoinedMessage {
  readonly source: string;
  readonly destination: string;
  readonly message: string;
  readonly parts: number;
  /** Those that cannot be read as well. */
  readonly missing: number;
  readonly partIds: readonly string[];
}

/** Stands where parts are missing or cannot be read. */
const GAP = Buffer.from('[…]', 'utf16le');

/**
 * Joins parts to messages: those that are whole, and those whose number came a second time, because handsets use
 * references again. The others stay open; so does one with a part that cannot be read, because the key for it may come.
 *
 * @param parts in the order in which they came
 */
export function joinParts(parts: readonly OpenPart[]): { messages: JoinedMessage[]; open: OpenPart[][] } {
  const messages: JoinedMessage[] = [];
  const groups = new Map<string, Map<number, OpenPart>>();
  for (const part of parts) {
    const key = JSON.stringify([part.source, part.destination, part.reference, part.total]);
    let group = groups.get(key);
    if (group?.has(part.number)) {
      messages.push(joined([...group.values()]));
      group = undefined;
    }
    group ??= new Map();
    group.set(part.number, part);
    if (readable([...group.values()]).length < part.total) groups.set(key, group);
    else {
      messages.push(joined([...group.values()]));
      groups.delete(key);
    }
  }
  return { messages, open: [...groups.values()].map((group) => [...group.values()]) };
}

/** The text of parts of one message; at least one. */
export function joined(parts: readonly OpenPart[]): JoinedMessage {
  const [{ source, destination, total }] = parts as [OpenPart];
  const contents: Buffer[] = [];
  for (let number = 1; number <= total; number += 1) {
    const content = parts.find((part) => part.number === number)?.content;
    if (content !== undefined) contents.push(content);
    else if (contents.at(-1) !== GAP) contents.push(GAP);
  }
  return {
    source,
    destination,
    message: storableText(Buffer.concat(contents).toString('utf16le')),
    parts: total,
    missing: total - readable(parts).length,
    partIds: parts.map(({ partId }) => partId),
  };
}

function readable(parts: readonly OpenPart[]): OpenPart[] {
  return parts.filter(({ content }) => content !== undefined);
}

/**
 * PostgreSQL stores neither half a character nor NUL, and SOH at the beginning marks what is encrypted; U+FFFD stands
 * in their place.
 */
export function storableText(text: string): string {
  return clearText(text.replace(/\p{Cs}|\0/gu, '\ufffd'));
}
