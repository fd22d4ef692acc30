import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { OperatorError } from '#persistence';

/**
 * The content of a file; `-` is standard input.
 *
 * @throws OperatorError when it cannot be read
 */
export async function readSource(file: string): Promise<string> {
  try {
    // Not /dev/stdin, which cannot be opened if standard input is a socket.
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
