import { type MessageQuote, MICROS_MAX, type Micros } from '#billing';
import type { Queryable } from '../database/database.js';
import { plainArray } from '../database/plain-array.js';
import { ACCEPTED, type AcceptVerdict, type VerdictRow, verdictOf } from './accept-verdict.js';
import type { GuardedRequest } from './guarded-request.js';

/** A message that passed every rule and has its price. */
export interface PricedMessage extends Omit<MessageQuote, 'unitPrice'> {
  /** UUID version 7, given by the gateway, so that a second try of an unanswered commit finds the first. */
  readonly id: string;
  /** As the client wrote it. */
  readonly recipient: string;
  readonly message: string;
  /** What the client calls it, and what it belongs to. */
  readonly reference?: string | undefined;
  readonly tag?: string | undefined;
  /** What the client asks of it. */
  readonly sendAt?: Date | undefined;
  /** For how long it may be handed to a carrier, from `sendAt` or from now. */
  readonly validitySeconds?: number | undefined;
  /** Instead of the account's. */
  readonly sender?: string | undefined;
}

/** One send or one batch: accepted whole or refused whole. */
export interface AcceptRequest {
  readonly messages: readonly PricedMessage[];
  readonly total: Micros;
  /** The messages wait in the backlog of their account; false: in the schedule, or on a queue. */
  readonly inBacklog: boolean;
  /** Refuse it if an earlier message of the account has one of its references. */
  readonly uniqueReferences?: boolean | undefined;
  /** By which the client names the batch; undefined: it is a single message. */
  readonly batchId?: string | undefined;
  /** The account's guards by which it was judged; left out: the account has none. */
  readonly guards?: GuardedRequest | undefined;
  readonly idempotencyKey?: { readonly key: string; readonly fingerprint: Buffer } | undefined;
}

/** Requests of one account are judged in the order in which they are given. */
export interface AccountRequest {
  readonly accountId: string;
  readonly request: AcceptRequest;
}

const ACCEPT_MESSAGES = `select * from accept_messages(
  $1, $2, $3, make_interval(secs => $4), make_interval(secs => $5), $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
  $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33)`;

/**
 * Accepts requests of any accounts in one transaction, each on its own merits.
 *
 * @param again a call with some of these requests was made before and its answer was lost
 * @param skipHeld passes over the accounts whose balance another transaction holds
 * @returns one verdict for each request, in the order given
 * @throws after 150 ms when another transaction holds the balance of one of the accounts, unless they are passed over;
 * then nothing is accepted
 */
export async function acceptMessages(
  database: Queryable,
  given: readonly AccountRequest[],
  settings: { readonly validitySeconds: number; readonly sweepAfterSeconds: number },
  again = false,
  skipHeld = false,
): Promise<AcceptVerdict[]> {
  const { texts } = database;
  const sorted = given
    .map(({ accountId, request }, place) => ({ accountId, request, place }))
    // Accounts are counted up, so their ids are exact as numbers of JavaScript; those of sandboxes are below 0.
    .sort((one, other) => Number(one.accountId) - Number(other.accountId));
  const requests = sorted.map(({ request }) => request);
  const messages = requests.flatMap((request) => request.messages);
  const hashes = requests.flatMap(({ messages, guards }) => messages.map((_, index) => guards?.numberHashes?.[index]));
  const counted = requests.flatMap(({ guards }) => guards?.counted ?? []);
  const rows = await database.query<VerdictRow>(ACCEPT_MESSAGES, [
    plainArray(sorted.map(({ accountId }) => accountId)),
    again,
    skipHeld,
    settings.validitySeconds,
    settings.sweepAfterSeconds,
    plainArray(requests.map((request) => atMost64Bits(request.total))),
    plainArray(requests.map((request) => request.messages.length)),
    plainArray(requests.map((request) => request.inBacklog)),
    orEmpty(requests, ({ idempotencyKey }) => idempotencyKey?.key),
    // With the one behind it of a request that came while the setting for texts was another one.
    orEmpty(requests, ({ idempotencyKey: used }) => used && Buffer.concat(texts.fingerprints(used.fingerprint))),
    orEmpty(requests, uniqueness),
    orEmpty(requests, ({ batchId }) => batchId),
    plainArray(requests.flatMap((request, index) => request.messages.map(() => index + 1))),
    plainArray(messages.map((message) => message.id)),
    messages.map((message) => message.recipient),
    plainArray(messages.map((message) => message.destination)),
    messages.map(({ id, message }) => texts.seal(message, `message:${id}`)),
    plainArray(messages.map(({ encoding }) => encoding === 'extended')),
    plainArray(messages.map((message) => message.segments)),
    plainArray(messages.map((message) => atMost64Bits(message.price))),
    orEmpty(messages, ({ reference }) => reference),
    orEmpty(messages, ({ tag }) => tag),
    orEmpty(messages, ({ sendAt }) => sendAt),
    orEmpty(messages, ({ validitySeconds }) => validitySeconds),
    orEmpty(messages, ({ sender }) => sender),
    plainArray(requests.map(({ guards }) => guards?.version ?? 0)),
    orEmpty(requests, ({ guards }) => guards?.spendDayMax),
    orEmpty(requests, ({ guards }) => guards?.spendMonthMax),
    orEmpty(hashes, (hash) => hash && `\\x${hash}`),
    plainArray(requests.flatMap(({ guards }, index) => guards?.counted?.map(() => index + 1) ?? [])),
    counted.map(({ hash }) => `\\x${hash}`),
    plainArray(counted.map((key) => key.messages)),
    plainArray(counted.map(({ max }) => max)),
  ]);
  const verdicts: AcceptVerdict[] = given.map(() => ACCEPTED);
  for (const row of rows) verdicts[sorted[row.request - 1]?.place ?? -1] = verdictOf(row);
  return verdicts;
}

/** So many segments at a price can cost more than an amount can be. */
function atMost64Bits(amount: Micros): Micros {
  return amount > MICROS_MAX ? MICROS_MAX : amount;
}

/** What the client has asked for, null for what it has not; empty if it has asked nowhere. */
function orEmpty<One, Value>(all: readonly One[], asked: (one: One) => Value | undefined): (Value | null)[] {
  return all.some((one) => asked(one) !== undefined) ? all.map((one) => asked(one) ?? null) : [];
}

/** Undefined for a request that has neither references nor tags. */
function uniqueness({ messages, uniqueReferences = false }: AcceptRequest): boolean | undefined {
  return messages.some(({ reference, tag }) => (reference ?? tag) !== undefined) ? uniqueReferences : undefined;
}
