import { createHash } from 'node:crypto';
import { Problem } from '../http/problem.js';
import type { SendRequest } from './messages.dto.js';

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

export interface IdempotencyKey {
  readonly key: string;
  readonly fingerprint: Buffer;
}

/**
 * The client's key with the fingerprint of what it sends: the endpoint and the parsed fields, so that formatting and
 * fields that are ignored make no difference (IETF draft-ietf-httpapi-idempotency-key-header section 2.4).
 */
export function idempotencyKey(
  header: string | undefined,
  endpoint: string,
  drafts: readonly SendRequest[],
): IdempotencyKey | undefined {
  if (header === undefined) return undefined;
  if (!PRINTABLE.test(header)) {
    throw new Problem('idempotency_key_invalid', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
  }
  const canonical = JSON.stringify([endpoint, drafts.map(({ recipient, message }) => [recipient, message])]);
  return { key: header, fingerprint: createHash('sha256').update(canonical).digest() };
}
