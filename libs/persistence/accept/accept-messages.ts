import type { Micros } from '#billing';
import type { Queryable } from '../database/database.js';
import { plainArray } from '../database/plain-array.js';

/** A message that passed every rule and has its price. */
export interface PricedMessage {
  /** UUID version 7, given by the gateway, so that a second try of an unanswered commit finds the first. */
  readonly id: string;
  /** As the client wrote it. */
  readonly recipient: string;
  /** E.164 digits. */
  readonly destination: string;
  readonly message: string;
  readonly extended: boolean;
  readonly segments: number;
  readonly price: Micros;
}

/** One send or one batch: accepted whole or refused whole. */
export interface AcceptRequest {
  readonly messages: readonly PricedMessage[];
  readonly total: Micros;
  readonly idempotencyKey?: { readonly key: string; readonly fingerprint: Buffer };
}

export type AcceptVerdict =
  | { readonly kind: 'accepted' }
  /** The key was used for the same payload before; its orders start at `firstSequence`. */
  | { readonly kind: 'replayed'; readonly firstSequence: bigint; readonly orderCount: number }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'insufficient_balance'; readonly balance: Micros }
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number }
  | { readonly kind: 'suspended' | 'closed' };

export interface AcceptSettings {
  readonly validitySeconds: number;
  readonly sweepAfterSeconds: number;
}

interface VerdictRow {
  verdict: AcceptVerdict['kind'];
  first_sequence: string;
  order_count: number;
  available: string;
  retry_after_ms: number;
}

const ACCEPT_MESSAGES = `select * from accept_messages(
  $1, $2, make_interval(secs => $3), make_interval(secs => $4), $5::bigint[], $6::integer[], $7::text[], $8::bytea[],
  $9::integer[], $10::uuid[], $11::text[], $12::text[], $13::text[], $14::boolean[], $15::smallint[], $16::bigint[])`;

/**
 * Accepts the requests of one account in one transaction, each on its own merits and in the order given.
 *
 * @param again the same call was made before and its answer was lost
 * @returns one verdict for each request, in order
 */
export async function acceptMessages(
  database: Queryable,
  accountId: string,
  requests: readonly AcceptRequest[],
  again: boolean,
  settings: AcceptSettings,
): Promise<AcceptVerdict[]> {
  const messages = requests.flatMap((request) => request.messages);
  const requestOf = requests.flatMap((request, index) => request.messages.map(() => index + 1));
  const rows = await database.query<VerdictRow>(ACCEPT_MESSAGES, [
    accountId,
    again,
    settings.validitySeconds,
    settings.sweepAfterSeconds,
    plainArray(requests.map((request) => request.total)),
    plainArray(requests.map((request) => request.messages.length)),
    requests.map((request) => request.idempotencyKey?.key ?? null),
    requests.map((request) => request.idempotencyKey?.fingerprint ?? null),
    plainArray(requestOf),
    plainArray(messages.map((message) => message.id)),
    messages.map((message) => message.recipient),
    plainArray(messages.map((message) => message.destination)),
    messages.map((message) => message.message),
    plainArray(messages.map((message) => message.extended)),
    plainArray(messages.map((message) => message.segments)),
    plainArray(messages.map((message) => message.price)),
  ]);
  return rows.map(verdictOf);
}

function verdictOf(row: VerdictRow): AcceptVerdict {
  switch (row.verdict) {
    case 'accepted':
    case 'key_reused':
    case 'suspended':
    case 'closed':
      return { kind: row.verdict };
    case 'replayed':
      return { kind: 'replayed', firstSequence: BigInt(row.first_sequence), orderCount: row.order_count };
    case 'insufficient_balance':
      return { kind: 'insufficient_balance', balance: BigInt(row.available) };
    case 'rate_limited':
      return { kind: 'rate_limited', retryAfterMs: row.retry_after_ms };
    default:
      throw new Error(`unreachable: ${row.verdict satisfies never}`);
  }
}
