import { parseRecipient } from './pricing.js';

/** Types of number (SMPP 3.4 section 5.2.5). */
const TON_NATIONAL = 2;
const TON_ALPHANUMERIC = 5;
/** A number of so many digits is a short code, which has no international form. */
const SHORT_CODE_DIGITS_MAX = 6;

const TRUNK_PREFIX = /^0/;
const NONE = /^(?!)/;
/**
 * The trunk prefixes by calling code, where it is not 0. With `NONE` a first 0 is part of the number, also behind the
 * calling code: of land lines in Italy and San Marino, of mobile numbers in the other countries. A length tells a trunk
 * prefix from a first digit alike. Source: the metadata of libphonenumber, as in libphonenumber-js 1.13.16.
 */
const TRUNK_PREFIXES: Readonly<Record<string, RegExp>> = {
  1: /^1(?=\d{10}$)/,
  7: /^8(?=\d{10}$)/,
  36: /^06?/,
  39: NONE,
  225: NONE,
  226: NONE,
  229: NONE,
  242: NONE,
  370: /^[08](?=\d{8}$)/,
  375: /^(?:80?|0)(?=\d{9}$)/,
  378: NONE,
  692: /^1(?=\d{7}$)/,
  992: NONE,
  993: /^8(?=\d{8}$)/,
};

/**
 * A number as a carrier wrote it: the digits of an international number, else what stands there.
 *
 * @param callingCode of the country that national numbers belong to: those of `ton` 2, or with one 0 in front;
 *   undefined: a number without its calling code stays as it is
 * @param ton type of number, as the carrier wrote it
 */
export function numberFromCarrier(address: string, callingCode: string | undefined, ton = 0): string {
  const national = callingCode === undefined ? undefined : fromNational(address.trim(), callingCode, ton);
  return national ?? parseRecipient(address) ?? address.trim();
}

function fromNational(address: string, callingCode: string, ton: number): string | undefined {
  if (ton === TON_ALPHANUMERIC || !/^\(?\d[\d .()-]*$/.test(address)) return undefined;
  const digits = address.replace(/\D/g, '');
  if (digits.startsWith('00') || !(digits.startsWith('0') || ton === TON_NATIONAL)) return undefined;
  const number = digits.replace(TRUNK_PREFIXES[callingCode] ?? TRUNK_PREFIX, '');
  return number.length > SHORT_CODE_DIGITS_MAX ? parseRecipient(callingCode + number) : undefined;
}
