import type { Database } from '../database/database.js';
import { plainArray } from '../database/plain-array.js';
import { writeDispatch } from './claimed-orders.js';
import type { DispatchOwner, OrderMove, SubmitResult } from './dispatch-write.js';

export interface FreeSubmits {
  readonly moves: readonly OrderMove[];
  /** Orders that another transaction holds, or whose balance it holds: nothing is recorded of them. */
  readonly held: ReadonlySet<string>;
}

/** In this time several accepts of the account come and go, and answers of other accounts wait as long in vain. */
const BALANCE_WAIT_MS = 200;

/**
 * Records answers as `writeDispatch`, but passes over the orders that another transaction holds, or whose balance it
 * holds.
 *
 * @param awaited an order whose balance it waits for first, for a while: one that many want is never free, but has a
 *   line
 */
export function recordFreeSubmits(
  database: Database,
  results: readonly SubmitResult[],
  owner: DispatchOwner,
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
    const write = { claims: [], intents: [], results: recorded };
    const moves = recorded.length > 0 ? (await writeDispatch(transaction, write, owner)).moves : [];
    return { moves, held: new Set(results.map(({ id }) => id).filter((id) => !free.has(id))) };
  });
}
