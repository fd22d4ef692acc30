/** The alphabet of `data_coding` 0 at this carrier (SMPP 3.4 section 5.2.19: "SMSC default alphabet"). */
export type DefaultAlphabet = 'gsm0338' | 'latin1';

/**
 * The alphabet lacks a character of the text. The segment must not be written, because other characters would arrive.
 */
export class UnencodableTextError extends Error {}

/**
 * Where the GSM 7-bit default alphabet (3GPP TS 23.038 section 6.2.1) differs from ISO 8859-1 inside the standard set.
 */
const GSM_OWN: ReadonlyArray<readonly [character: string, octet: number]> = [
  ['@', 0x00],
  ['£', 0x01],
  ['$', 0x02],
  ['¥', 0x03],
  ['_', 0x11],
  ['¤', 0x24],
  ['¡', 0x40],
  ['§', 0x5f],
  ['¿', 0x60],
];
/** ISO 8859-1 characters below 0x80 in whose place the GSM alphabet has other ones. */
const NOT_IN_GSM = '[\\]^`{|}~';
const UNENCODABLE = 0xff;

const TABLES: Readonly<Record<DefaultAlphabet, Uint8Array>> = { gsm0338: gsmTable(), latin1: latin1Table() };

/**
 * Writes a standard text at one octet a character, unpacked, and returns the offset after it.
 *
 * @throws UnencodableTextError at the first character that the alphabet does not have
 */
export function writeStandardText(bytes: Buffer, offset: number, text: string, alphabet: DefaultAlphabet): number {
  const table = TABLES[alphabet];
  let at = offset;
  for (let index = 0; index < text.length; index++) {
    const octet = table[text.charCodeAt(index)] ?? UNENCODABLE;
    if (octet === UNENCODABLE) throw new UnencodableTextError(`character ${index} is not in ${alphabet}`);
    bytes[at++] = octet;
  }
  return at;
}

/** Writes an extended text as UTF-16BE, which carriers expect for `data_coding` 8. */
export function writeExtendedText(bytes: Buffer, offset: number, text: string): number {
  let at = offset;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    bytes[at++] = unit >>> 8;
    bytes[at++] = unit & 0xff;
  }
  return at;
}

function latin1Table(): Uint8Array {
  const table = new Uint8Array(256).fill(UNENCODABLE);
  for (let code = 0x20; code < 0x7f; code++) table[code] = code;
  for (let code = 0xa0; code < 0xff; code++) table[code] = code;
  table[0x0a] = 0x0a;
  table[0x0d] = 0x0d;
  return table;
}

function gsmTable(): Uint8Array {
  const table = latin1Table().fill(UNENCODABLE, 0x80);
  for (const character of NOT_IN_GSM) table[character.charCodeAt(0)] = UNENCODABLE;
  for (const [character, octet] of GSM_OWN) table[character.charCodeAt(0)] = octet;
  return table;
}
