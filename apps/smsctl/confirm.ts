import { createInterface } from 'node:readline/promises';

/** Somebody was asked and did not say yes, or there was nobody to ask. */
export class NotConfirmed extends Error {}

/**
 * Asks on a terminal before something that cannot be taken back, or is rarely meant.
 *
 * @param concern what is unusual about it, as a sentence without its full stop
 * @throws NotConfirmed when there is no terminal, or the answer is not yes
 */
export async function confirm(concern: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new NotConfirmed(`${concern}: give --yes if that is meant`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${concern}. Go on? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new NotConfirmed('nothing was changed');
  } finally {
    terminal.close();
  }
}
