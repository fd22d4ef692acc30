import { createInterface } from 'node:readline/promises';

/** A person was asked and did not say yes, or there was no terminal. */
class NotConfirmed extends Error {}

/**
 * Asks on a terminal before an action that cannot be undone or is often a mistake.
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
