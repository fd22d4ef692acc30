import type { Queryable } from '../database/database.js';

/** Batches in one transaction. */
const LIMIT = 100;
/** Calls in a row; what is due beyond them waits for the next time. */
const CALLS_MAX = 20;

/** Writes `batch.completed` for the batches whose messages are all final, in small transactions. */
export async function completeBatches(database: Queryable): Promise<void> {
  for (let call = 0; call < CALLS_MAX; call += 1) {
    const [row] = await database.query<{ looked: number }>('select complete_batches($1) as looked', [LIMIT]);
    if ((row?.looked ?? 0) === 0) return;
  }
}
