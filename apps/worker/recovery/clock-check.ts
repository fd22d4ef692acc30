import { clockOffsetMs, type Database } from '#persistence';

/** BullMQ on PostgreSQL decides by the clocks of its clients which job is abandoned; leases of ours do not. */
const OFFSET_MAX_MS = 2_000;
const CHECK_EVERY_MS = 60_000;

/** @throws Error when this machine's clock is too far from the database's to share its queue */
export async function checkClock(database: Database): Promise<void> {
  const offsetMs = await clockOffsetMs(database);
  if (Math.abs(offsetMs) <= OFFSET_MAX_MS) return;
  throw new Error(
    `this machine's clock is ${Math.round(offsetMs)} ms off the database's; with the queue in PostgreSQL at most ` +
      `${OFFSET_MAX_MS} ms are allowed (set up NTP, or use REDIS_URL)`,
  );
}

/** Checks on; `onDrift` is told once. Returns what ends the checking. */
export function watchClock(database: Database, onDrift: (error: Error) => void): () => void {
  const timer = setInterval(() => {
    checkClock(database).catch((error: Error) => {
      // A database that is away is noticed elsewhere.
      if (error.message.includes('clock')) onDrift(error);
    });
  }, CHECK_EVERY_MS);
  return () => clearInterval(timer);
}
