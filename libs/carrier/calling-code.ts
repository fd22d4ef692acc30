import { isCallingCode } from '#billing';

/** What the option of a carrier means, whatever its protocol. */
export const CALLING_CODE_MEANING =
  'country that handsets in national form belong to, e.g. 44: 07700900123 becomes 447700900123 (default: none)';

export function withoutPlus(text: string): string {
  return text.replace(/^\+/, '');
}

/** The fault of a calling code; undefined if there is none. */
export function callingCodeFault(value: unknown): string | undefined {
  return typeof value === 'string' && isCallingCode(value)
    ? undefined
    : 'must be the calling code of a country, 1 to 3 digits, such as 44';
}

/** The calling code in the stored options of a carrier. */
export function callingCodeOf({ callingCode }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof callingCode === 'string' ? callingCode : undefined;
}
