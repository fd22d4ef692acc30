import type { Database } from '../database/database.js';
import { plainArray } from '../database/plain-array.js';
import { type OrderMove, recordSubmits, type SubmitResult } from './claimed-orders.js';

export interface FreeSubmits {
  readonly moves: readonly OrderMove[];
  /** Orders that another transaction holds, or whose balance it holds: nothing is recorded of them. */
  readonly held: ReadonlySet<string>;
}

/** In this time many accepts of the account come and go. */
const BALANCE_WAIT_MS = 1_000;

/**
 * Records answers as `recordSubmits`, but passes over the orders that another transaction holds, or whose balance it
 * holds.
 *
 * @param awaited an order whose balance it waits for first: one that many want is never free, but has a line
 * @throws after a second when that balance is still held
 */
export function recordFreeSubmits(
  database: Database,
  results: readonly SubmitResult[],
  inDoubtWaitSeconds: number,
  awaited?: string,
): Promise<FreeSubmits> {
  return database.transaction(async (transaction) => {
    const rows = await transaction.query<{ id: string }>('select lock_free_balances($1::uuid[], $2, $3) as id', [
      plainArray(results.map(({ id }) => id)),
      awaited ?? null,
      BALANCE_WAIT_MS,
    ]);
    const free = new Set(rows.map(({ id }) => id));
    const recorded = results.filter(({ id }) => free.has(id));
    const moves = recorded.length > 0 ? await recordSubmits(transaction, recorded, inDoubtWaitSeconds) : [];
    return { moves, held: new Set(results.map(({ id }) => id).filter((id) => !free.has(id))) };
  });
}
