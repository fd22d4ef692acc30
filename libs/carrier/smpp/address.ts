/** An address as SMPP wants it: type of number and numbering plan (SMPP 3.4 sections 5.2.5 and 5.2.6). */
export interface SmppAddress {
  readonly ton: number;
  readonly npi: number;
  readonly address: string;
}

const SHORT_CODE_DIGITS_MAX = 6;

/**
 * How a sender is written: `Heliograph` as alphanumeric (5/0), `46700100200` or `+46700100200` as international (1/1),
 * and up to six bare digits as a short code (3/0).
 *
 * @throws RangeError when it is none of them
 */
export function senderAddress(sender: string): SmppAddress {
  const digits = /^(\+?)([0-9]{3,15})$/.exec(sender);
  if (digits !== null) {
    const [, plus = '', address = ''] = digits;
    const isShortCode = plus === '' && address.length <= SHORT_CODE_DIGITS_MAX;
    return isShortCode ? { ton: 3, npi: 0, address } : { ton: 1, npi: 1, address };
  }
  // In the GSM alphabet "@" is octet 0, which would end the field, so only characters that all alphabets share are
  // allowed.
  if (/^[A-Za-z0-9 ._-]{1,11}$/.test(sender)) return { ton: 5, npi: 0, address: sender };
  throw new RangeError('a sender is up to 11 letters and digits, 3 to 6 digits, or an E.164 number');
}
