import { expect } from '@jest/globals';
import type { Queryable } from '#persistence';
import { eventually } from './eventually.js';

/**
 * How many sessions of a database wait for a lock. Not to be asked in a transaction, which sees no session that came
 * after its first look.
 */
export async function lockWaits(database: Queryable): Promise<number> {
  const waiting = await database.query(
    "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
  );
  return waiting.length;
}

/** Resolves when so many sessions wait for a lock. */
export async function untilLockWaits(database: Queryable, count: number): Promise<void> {
  await eventually(async () => expect(await lockWaits(database)).toBe(count));
}
