import { randomBytes } from 'node:crypto';

/** Without letters that look alike (Crockford's base 32). */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const GROUP = 5;

/** A text of so many random bits, in groups that a person can read and type. */
export function randomWords(bits: number): string {
  const letters = [...randomBytes(Math.ceil(bits / 5))].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  return letters.replaceAll(new RegExp(`.{${GROUP}}(?=.)`, 'g'), '$&-');
}

/** What a person typed, as it was made: without spaces and hyphens, look-alikes as what they look like. */
export function typedWords(text: string): string {
  return text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
}
