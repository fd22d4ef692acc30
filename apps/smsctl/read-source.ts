import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { OperatorError } from '#persistence';

/**
 * The content of a file; `-` is standard input.
 *
 * @throws OperatorError when it cannot be read, or is no text in UTF-8
 */
export async function readSource(file: string): Promise<string> {
  const bytes = await bytesOf(file);
  // Otherwise a password or the name of a country would be stored with other characters.
  if (!isUtf8(bytes)) throw new OperatorError(`${file === '-' ? 'standard input' : file} is not a text in UTF-8`);
  return bytes.toString();
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    // Not /dev/stdin, which cannot be opened if standard input is a socket.
    return file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
