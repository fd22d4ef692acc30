import type { DefaultAlphabet } from './settings.js';

/** The GSM 7-bit default alphabet, octets 0x00 to 0x7F (3GPP TS 23.038 section 6.2.1). */
export const GSM_ALPHABET =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const GSM_ESCAPE = 0x1b;
/** Characters behind an escape (section 6.2.1.1). */
const GSM_EXTENSION: Readonly<Record<number, string>> = {
  10: '\f',
  20: '^',
  40: '{',
  41: '}',
  47: '\\',
  60: '[',
  61: '~',
  62: ']',
  64: '|',
  101: '€',
};
const UNREADABLE = '\ufffd';

type InboundAlphabet = DefaultAlphabet | 'ucs2' | 'cyrillic' | 'hebrew' | 'binary';

/**
 * The text of a message from a handset. Octets that are no text (`data_coding` 2, 4 and the 8-bit groups) become
 * hexadecimal digits. Some carriers end the text as a C-string; in the GSM alphabet that zero octet is an "@".
 */
export function inboundText(octets: Buffer, dataCoding: number, defaultAlphabet: DefaultAlphabet): string {
  const text = decoded(octets, dataCoding, defaultAlphabet);
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0) end -= 1;
  return text.slice(0, end);
}

function decoded(octets: Buffer, dataCoding: number, defaultAlphabet: DefaultAlphabet): string {
  switch (alphabetOf(dataCoding, defaultAlphabet)) {
    case 'gsm0338':
      return gsmText(octets);
    case 'latin1':
      return octets.toString('latin1');
    case 'ucs2':
      return utf16Text(octets);
    case 'cyrillic':
      return new TextDecoder('iso-8859-5').decode(octets);
    case 'hebrew':
      return new TextDecoder('iso-8859-8').decode(octets);
    case 'binary':
      return octets.toString('hex');
  }
}

/**
 * The alphabet of a `data_coding`: SMPP 3.4 section 5.2.19 up to 0x0E, and the groups of 3GPP TS 23.038 section 4 above
 * it. A value that nobody has defined means the carrier's default alphabet.
 */
function alphabetOf(dataCoding: number, defaultAlphabet: DefaultAlphabet): InboundAlphabet {
  if (dataCoding === 1 || dataCoding === 3) return 'latin1';
  if (dataCoding === 2 || dataCoding === 4) return 'binary';
  if (dataCoding === 6) return 'cyrillic';
  if (dataCoding === 7) return 'hebrew';
  if (dataCoding === 8) return 'ucs2';
  const group = dataCoding >> 4;
  const alphabetBits = (dataCoding >> 2) & 3;
  // General data coding, with a message class or (0x40) for a text that the handset deletes once it is read. With text
  // compression (0x20) the octets are no text.
  const isGeneral = group >= 1 && group <= 7;
  if (isGeneral && (dataCoding & 0x20) !== 0) return 'binary';
  if (isGeneral) return alphabetBits === 2 ? 'ucs2' : alphabetBits === 1 ? 'binary' : defaultAlphabet;
  if (group === 0xe) return 'ucs2';
  if (group === 0xf) return (alphabetBits & 1) === 1 ? 'binary' : defaultAlphabet;
  return defaultAlphabet;
}

/** One octet a character, unpacked. A character that the alphabet lacks becomes U+FFFD, so that it is seen. */
function gsmText(octets: Buffer): string {
  let text = '';
  for (let index = 0; index < octets.length; index++) {
    const octet = octets[index] ?? 0;
    if (octet === GSM_ESCAPE) {
      index++;
      text += GSM_EXTENSION[octets[index] ?? 0] ?? UNREADABLE;
    } else text += GSM_ALPHABET[octet] ?? UNREADABLE;
  }
  return text;
}

/** Big-endian, as in the air; an octet that is left over is dropped. */
function utf16Text(octets: Buffer): string {
  return Buffer.from(octets.subarray(0, octets.length & ~1))
    .swap16()
    .toString('utf16le');
}
