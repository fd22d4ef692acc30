/**
 * How a carrier writes its message ids: `hex-dec` answers submits in hexadecimal and reports receipts in decimal,
 * `dec-hex` the other way round, `as-is` the same in both.
 */
export type MessageIdFormat = 'as-is' | 'hex-dec' | 'dec-hex';

const ID_CHARACTERS_MAX = 64;
const DECIMAL = /^[0-9]+$/;
const HEXADECIMAL = /^[0-9a-f]+$/;

/** The stored form of the id in a submit response: lower case, without quotes, control characters and leading zeros. */
export function storedMessageId(submitted: string): string {
  const id = submitted
    // biome-ignore lint/suspicious/noControlCharactersInRegex: carriers do send them, and PostgreSQL takes no NUL
    .replace(/[\u0000-\u0020"\u007f-\u00a0]/g, '')
    .slice(0, ID_CHARACTERS_MAX)
    .toLowerCase();
  return id.replace(/^0+(?=.)/, '');
}

/** The stored form of the id in a receipt. An id that is not in the expected format is stored as it is. */
export function receiptMessageId(reported: string, format: MessageIdFormat): string {
  const id = storedMessageId(reported);
  if (format === 'hex-dec' && DECIMAL.test(id)) return BigInt(id).toString(16);
  if (format === 'dec-hex' && HEXADECIMAL.test(id)) return BigInt(`0x${id}`).toString(10);
  return id;
}

/**
 * The stored form that the id of an unmatched receipt would have if it had been read in another format. An id does not
 * always show how it was written, so there may be two.
 */
export function rereadMessageId(stored: string, readAs: MessageIdFormat, format: MessageIdFormat): string[] {
  const reported = new Set<string>();
  if (readAs === 'hex-dec' && HEXADECIMAL.test(stored)) reported.add(BigInt(`0x${stored}`).toString(10));
  if (readAs === 'dec-hex' && DECIMAL.test(stored)) reported.add(BigInt(stored).toString(16));
  // An id that was not in the format was stored as it is.
  const wasConverted = readAs === 'hex-dec' ? DECIMAL.test(stored) : readAs === 'dec-hex' && HEXADECIMAL.test(stored);
  if (!wasConverted) reported.add(stored);
  return [...new Set([...reported].map((id) => receiptMessageId(id, format)))].filter((id) => id !== stored);
}
