/** Whose numbers and times these are: the browser's. The words are English as yet (words.ts). */
export const locale = navigator.languages[0] ?? 'en';
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
