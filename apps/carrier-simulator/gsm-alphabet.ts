/** The default alphabet, octets 0x00 to 0x7F (3GPP TS 23.038, 6.2.1); 0x1B leads to the extension table. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

const ESCAPE = 0x1b;
/** 3GPP TS 23.038, 6.2.1.1. */
const EXTENSION = new Map([
  [0x0a, '\f'],
  [0x14, '^'],
  [0x28, '{'],
  [0x29, '}'],
  [0x2f, '\\'],
  [0x3c, '['],
  [0x3d, '~'],
  [0x3e, ']'],
  [0x40, '|'],
  [0x65, '€'],
]);

/**
 * Decodes one octet a character. An octet that is not in the alphabet becomes U+FFFD, so that it is visible.
 *
 * @param charactersMax reads at most so many
 */
export function decodeGsm(octets: Buffer, charactersMax = Number.POSITIVE_INFINITY): string {
  let text = '';
  for (let index = 0; index < octets.length && text.length < charactersMax; index++) {
    const octet = octets.readUInt8(index);
    if (octet === ESCAPE) {
      index++;
      text += EXTENSION.get(octets[index] ?? -1) ?? '\ufffd';
    } else {
      text += BASIC[octet] ?? '\ufffd';
    }
  }
  return text;
}

/** One octet a character, or two behind an escape; undefined if the text has a character that the alphabet lacks. */
export function encodeGsm(text: string): Buffer | undefined {
  const octets: number[] = [];
  for (const character of text) {
    const octet = character === '\u001b' ? -1 : BASIC.indexOf(character);
    const extended = [...EXTENSION].find(([, one]) => one === character)?.[0];
    if (octet >= 0) octets.push(octet);
    else if (extended !== undefined) octets.push(ESCAPE, extended);
    else return undefined;
  }
  return Buffer.from(octets);
}
