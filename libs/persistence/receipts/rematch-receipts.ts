import type { Queryable } from '../database/database.js';

/** By then the response that would name a receipt's message has come, if it ever does. */
const REFERENCE_AFTER_SECONDS = 3;
const REMATCH_LIMIT = 1_000;
/** Receipts whose ids one call compares, in each of the orders in which it reads them. */
const LOOK_MAX = 5_000;
/** Calls in a row; what is left then has to wait for the next look. */
const REMATCH_CALLS_MAX = 50;

/**
 * Matches unmatched receipts again whose message is known now; returns how many matched. If there are very many, it
 * looks at some of them.
 *
 * @param receivedWithinSeconds undefined: however old they are
 */
export async function rematchReceipts(
  database: Queryable,
  receivedWithinSeconds: number | undefined,
  inDoubtWaitSeconds: number,
  referenceAfterSeconds = REFERENCE_AFTER_SECONDS,
  lookMax = LOOK_MAX,
): Promise<number> {
  let matched = 0;
  for (let call = 0; call < REMATCH_CALLS_MAX; call += 1) {
    const [row] = await database.query<{ matched: number }>(
      `select rematch_receipts(now() - make_interval(secs => $1), make_interval(secs => $2), $3, make_interval(secs => $4),
                               $5) as matched`,
      [receivedWithinSeconds ?? null, referenceAfterSeconds, REMATCH_LIMIT, inDoubtWaitSeconds, lookMax],
    );
    if (row === undefined || row.matched === 0) break;
    matched += row.matched;
  }
  return matched;
}
