import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sentIdempotencyKey } from '../http/header-lines.js';
import type { FieldFault } from '../http/problem.js';
import { Slices } from '../http/slices.js';
import type { SendEntry } from './messages.dto.js';
import { OPTION_NAMES } from './send-options.dto.js';
import type { Submission } from './submission.js';

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

export interface IdempotencyKey {
  readonly key: string;
  readonly fingerprint: Buffer;
}

/** The header as it was sent; empty, which is no key, if it was sent in several lines. */
export const SentKey = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  sentIdempotencyKey(context.switchToHttp().getRequest<FastifyRequest>().raw),
);

/**
 * The client's key with the fingerprint of its request: the endpoint and the parsed fields, so that formatting makes no
 * difference (IETF draft-ietf-httpapi-idempotency-key-header section 2.4). It is digested in slices: a batch may have
 * megabytes. Undefined if there is no key, or the request has faults.
 */
export async function idempotencyKey(
  header: string | undefined,
  { drafts, isBatch, faults, uniqueReferences }: Submission,
): Promise<IdempotencyKey | undefined> {
  if (header === undefined || faults.length > 0) return undefined;
  const slices = new Slices();
  const hash = createHash('sha256').update(isBatch ? '["send-batch",[' : '["send",[');
  for (const [index, draft] of drafts.entries()) {
    hash.update(`${index === 0 ? '' : ','}${JSON.stringify(fieldsOf(draft))}`);
    if (slices.isOver) await slices.pause();
  }
  return { key: header, fingerprint: hash.update(uniqueReferences ? '],"unique"]' : ']]').digest() };
}

/**
 * What was added to the contract counts only when it is given, so that older keys still replay. A false asks for
 * nothing, like an option that is left out.
 */
function fieldsOf(draft: SendEntry): unknown[] {
  const { recipient, message } = draft;
  const given = OPTION_NAMES.filter((name) => draft[name] !== undefined && draft[name] !== false);
  if (given.length === 0) return [recipient, message];
  const valueGiven = (name: (typeof given)[number]) => (name === 'sendAt' ? draft.sendAtTime : draft[name]);
  return [recipient, message, Object.fromEntries(given.map((name) => [name, valueGiven(name)]))];
}

const NOTHING_WRONG = {};
const KEY_INVALID: { readonly faults: readonly FieldFault[] } = {
  faults: [
    {
      field: 'Idempotency-Key',
      code: 'idempotency_key_invalid',
      detail: 'Idempotency-Key must be 1 to 255 printable ASCII characters, in one line.',
    },
  ],
};

/** The faults of the header, which are answered together with the faults of the body. */
export function checkedKey(header: string | undefined): { readonly faults?: readonly FieldFault[] } {
  return header === undefined || PRINTABLE.test(header) ? NOTHING_WRONG : KEY_INVALID;
}

/** Tells the client that its key was used before. */
export function markReplay(reply: FastifyReply, { isReplay }: { readonly isReplay: boolean }): void {
  if (isReplay) void reply.header('Idempotent-Replayed', 'true');
}
