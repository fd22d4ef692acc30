import { MESSAGES_MAX } from '../sending/messages-max.js';
import type { RowMessage } from './check-rows.js';
import { PageSlices } from './slices.js';

/**
 * Every body below 256 KiB is taken, whatever the operator has set, and does not wait for its turn among large ones.
 */
const BYTES_MAX = 240 * 1024;

/** The messages of one request. */
export type Chunk = readonly RowMessage[];

/**
 * Cuts a send into requests. The same messages are cut in the same way, so that a chunk can be sent again.
 *
 * @param messagesMax of one request
 */
export async function cutChunks(messages: readonly RowMessage[], messagesMax = MESSAGES_MAX): Promise<Chunk[]> {
  const chunks: RowMessage[][] = [];
  const encoder = new TextEncoder();
  const slices = new PageSlices();
  let current: RowMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const needed = encoder.encode(JSON.stringify(entryOf(message))).length + 1;
    if (current.length >= messagesMax || (current.length > 0 && bytes + needed > BYTES_MAX)) {
      chunks.push(current);
      current = [];
      bytes = 0;
    }
    current.push(message);
    bytes += needed;
    if (slices.isOver) await slices.pause();
  }
  if (current.length > 0) chunks.push(current);
  return chunks;
}

/** The message as it stands in a request. */
export function entryOf({ recipient, message }: RowMessage): { recipient: string; message: string } {
  return { recipient, message };
}
