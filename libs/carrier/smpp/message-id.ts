/**
 * How a carrier writes its message ids: `hex-dec` answers submits in hexadecimal and reports receipts in decimal,
 * `dec-hex` the other way round, `as-is` the same in both.
 */
export type MessageIdFormat = 'as-is' | 'hex-dec' | 'dec-hex';

const ID_CHARACTERS_MAX = 64;

/** The stored form of the id in a submit response: lower case, without leading zeros or control characters. */
export function storedMessageId(submitted: string): string {
  const id = submitted
    // biome-ignore lint/suspicious/noControlCharactersInRegex: carriers do send them, and PostgreSQL refuses NUL in text
    .replace(/[\u0000-\u0020\u007f-\u00a0]/g, '')
    .slice(0, ID_CHARACTERS_MAX)
    .toLowerCase();
  return id.replace(/^0+(?=.)/, '');
}

/** The stored form of the id in a receipt. An id that is not in the format it should be in is taken as it is. */
export function receiptMessageId(reported: string, format: MessageIdFormat): string {
  const id = storedMessageId(reported);
  if (format === 'hex-dec' && /^[0-9]+$/.test(id)) return BigInt(id).toString(16);
  if (format === 'dec-hex' && /^[0-9a-f]+$/.test(id)) return BigInt(`0x${id}`).toString(10);
  return id;
}
