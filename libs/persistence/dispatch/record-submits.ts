import type { OrderState } from '#billing';
import type { Queryable } from '../database/database.js';
import { plainArray } from '../database/plain-array.js';

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
