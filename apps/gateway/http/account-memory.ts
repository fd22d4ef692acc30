import type { IncomingMessage, ServerResponse } from 'node:http';
import { Overloaded } from '#batching';

/** Bytes that may be in memory: of one account, and of all. */
const ACCOUNT_BYTES_MAX = 16 * 1024 * 1024;
const ALL_BYTES_MAX = 128 * 1024 * 1024;

/** Bounds the memory that the requests of an account may take at once, and those of all accounts together. */
export class AccountMemory {
  private readonly reserved = new Map<string, number>();
  private reservedBytes = 0;

  /**
   * Reserves memory. One request always gets it, however much it is.
   *
   * @returns a function that gives it back
   * @throws Overloaded when this account, or all accounts together, have reserved the maximum
   */
  reserve(accountId: string, bytes: number): () => void {
    const ofAccount = this.reserved.get(accountId) ?? 0;
    const isFull = ofAccount > 0 && ofAccount + bytes > ACCOUNT_BYTES_MAX;
    if (isFull || (this.reservedBytes > 0 && this.reservedBytes + bytes > ALL_BYTES_MAX)) throw new Overloaded(1);
    this.reserved.set(accountId, ofAccount + bytes);
    this.reservedBytes += bytes;
    return () => {
      const left = (this.reserved.get(accountId) ?? 0) - bytes;
      this.reservedBytes -= bytes;
      if (left > 0) this.reserved.set(accountId, left);
      else this.reserved.delete(accountId);
    };
  }
}

/**
 * Calls `end` once, when the client has taken the answer or has left. It may have left before this call, while its key
 * was looked up: then the answer tells nothing more.
 */
export function whenOver({ socket }: IncomingMessage, answer: ServerResponse, end: () => void): void {
  if (socket.destroyed) end();
  else answer.once('close', end);
}
