/** Characters of a recipient as submitted, separators included. */
export const RECIPIENT_LENGTH_MAX = 64;

const E164 = /^[1-9][0-9]{6,14}$/;
const SEPARATORS = /[ .()-]+/g;
/** Matches what `parseRecipient` takes, for clients that check a number before they send it. */
export const RECIPIENT_PATTERN = '^[ .()-]*(?:(?:\\+|0[ .()-]*0)[ .()-]*)?[1-9](?:[ .()-]*[0-9]){6,14}[ .()-]*$';

/**
 * The digits of a phone number in E.164 form, without a plus sign; undefined if the text is not a number. Accepts `+`,
 * `00` or bare digits in front of the country code, and spaces, dots, dashes and parentheses between them; 7 to 15
 * digits must remain, the first of them 1 to 9 (ITU-T E.164 section 6).
 */
export function parseRecipient(text: string): string | undefined {
  if (E164.test(text)) return text;
  if (text.length > RECIPIENT_LENGTH_MAX) return undefined;
  const compact = text.replace(SEPARATORS, '');
  const digits = compact.startsWith('+') ? compact.slice(1) : compact.startsWith('00') ? compact.slice(2) : compact;
  return E164.test(digits) ? digits : undefined;
}
