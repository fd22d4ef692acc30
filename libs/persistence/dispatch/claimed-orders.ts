import type { OrderState } from '#billing';
import type { Queryable } from '../database/database.js';
import { plainArray } from '../database/plain-array.js';
import { learnTextKeys } from '../texts/text-keys.js';

/** An order that this worker owns until its lease ends. */
export interface ClaimedOrder {
  readonly id: string;
  /** Fences what an earlier owner still writes. */
  readonly epoch: number;
  readonly destination: string;
  /** The text as it is stored: maybe encrypted (`claimedText`). */
  readonly message: string;
  readonly segments: number;
  readonly concatenationReference: number | null;
  /** Segments (from 1) that no carrier has yet; the first one is already recorded as submitting. */
  readonly openPositions: readonly number[];
  /** The account's own sender; null: the carrier's, or the service's. */
  readonly sender: string | null;
  /** It goes in one piece, which the carrier cuts itself. */
  readonly whole: boolean;
  /** How it has to be written, where that is not how the claiming worker's carrier writes now. */
  readonly format: string | null;
  /** What is left of the validity that its client asked for; null: the carrier decides. */
  readonly validitySeconds: number | null;
  /** For how long it could have been sent, until its first claim; null of a later claim. */
  readonly waitedSeconds: number | null;
}

/** Takes queued orders for a worker; what is not returned belongs to somebody else or is done. */
export async function claimOrders(
  database: Queryable,
  ids: readonly string[],
  owner: {
    readonly workerId: string;
    readonly carrierId: number;
    readonly leaseSeconds: number;
    /** The carrier takes a message whole: its first segment stands for all. */
    readonly whole?: boolean;
    /** How the carrier writes now; the claim stores it. Undefined: it is not said. */
    readonly format?: string | undefined;
  },
): Promise<ClaimedOrder[]> {
  const claimed = await database.query<ClaimedOrder>(
    `select id, epoch, destination, message, segments, concatenation_reference as "concatenationReference",
            open_positions as "openPositions", sender, whole, format, validity_seconds as "validitySeconds",
            waited_seconds as "waitedSeconds"
       from claim_orders($1::uuid[], $2, $3, $4::integer, $5, $6)`,
    [plainArray(ids), owner.workerId, owner.carrierId, owner.leaseSeconds, owner.whole ?? false, owner.format ?? null],
  );
  // The orders are claimed by now. If this fails, `claimedText` does, and its message is tried again.
  const stored = claimed.map(({ message }) => message);
  await learnTextKeys(database, stored).catch(() => undefined);
  return claimed;
}

/**
 * The text of a claimed order. One that cannot be read keeps no other message from being sent.
 *
 * @throws TextUnreadable when this process cannot read it
 */
export function claimedText(database: Queryable, { id, message }: ClaimedOrder): string {
  return database.texts.open(message, `message:${id}`);
}

export interface SubmitResult {
  readonly id: string;
  readonly position: number;
  readonly epoch: number;
  /** `pending`: the carrier did not take it and it may be tried again. */
  readonly kind: 'accepted' | 'refused' | 'pending' | 'in_doubt';
  /** The carrier's message id where accepted, else its error code. */
  readonly answer: string;
  /** No further segment of this order will be submitted by this owner for now. */
  readonly done: boolean;
  readonly retryAfterMs: number;
}

export interface OrderMove {
  readonly id: string;
  readonly state: OrderState;
}

/**
 * Records what the carrier answered, and moves the orders.
 *
 * @returns the orders whose row changed
 * @throws after 50 ms when another transaction holds one of the orders or of the balances; then nothing is recorded
 */
export function recordSubmits(
  database: Queryable,
  results: readonly SubmitResult[],
  inDoubtWaitSeconds: number,
): Promise<OrderMove[]> {
  return database.query<OrderMove>(
    `select * from record_submits($1::uuid[], $2::smallint[], $3::integer[], $4::text[], $5::text[], $6::boolean[],
                                  $7::integer[], make_interval(secs => $8))`,
    [
      plainArray(results.map((result) => result.id)),
      plainArray(results.map((result) => result.position)),
      plainArray(results.map((result) => result.epoch)),
      plainArray(results.map((result) => result.kind)),
      results.map((result) => result.answer),
      plainArray(results.map((result) => result.done)),
      plainArray(results.map((result) => result.retryAfterMs)),
      inDoubtWaitSeconds,
    ],
  );
}
