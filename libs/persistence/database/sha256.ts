import { createHash } from 'node:crypto';

/** Of random bits, which nobody can guess from their hash: so secrets of ours are stored and compared. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
