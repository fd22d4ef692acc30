/** Scripts that are written from right to left (ISO 15924). */
const RIGHT_TO_LEFT = ['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm', 'Rohg'];

/**
 * Whose numbers and times these are: the browser's. The words are English as yet (words.ts): between them, parts of a
 * date that is written from right to left change their places, and 26/11/2026 is read as 262026/11/.
 */
export const locale = navigator.languages.find(isLeftToRight) ?? 'en';
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function isLeftToRight(language: string): boolean {
  return !RIGHT_TO_LEFT.includes(new Intl.Locale(language).maximize().script ?? '');
}
