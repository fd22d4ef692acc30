import type { Queryable } from '../database/database.js';

/** The parts of `event_batch`. */
const SLOTS = 16;
/** Events in one statement: other processes wait for it, and each has a few seconds. */
const SLICE = 5_000;

/**
 * After a restore into another cluster: the numbers of its transactions mean nothing any more. Interrupted, it may be
 * called again.
 */
export async function forgetEventTransactions(database: Queryable): Promise<void> {
  await database.query('select forget_event_places()');
  for (let slot = 0; slot < SLOTS; slot += 1) {
    for (let last: string | null = '-1'; last !== null; ) {
      const [row]: { last: string | null }[] = await database.query(
        'select forget_event_transactions($1::smallint, $2, $3) as last',
        [slot, last, SLICE],
      );
      last = row?.last ?? null;
    }
  }
}
