import { t } from '../words.js';

/** Why a message ended as it did, in words, with the code of the carrier if there is one. */
export function reasonWords(reason: string | null, code: string | null): string {
  // The service may add reasons before the console has words for them.
  const words = reason === null ? '' : ((t.messages.reason as Readonly<Record<string, string>>)[reason] ?? reason);
  const codeWords = code === null ? '' : t.messages.code(code);
  if (words === '' || codeWords === '') return words || codeWords;
  return `${words} (${codeWords})`;
}
