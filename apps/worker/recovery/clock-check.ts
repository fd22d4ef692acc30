import { InstallationError } from '#config';
import { clockOffsetMs, type Database } from '#persistence';
import { PeriodicWork } from '#timing';

/** BullMQ on PostgreSQL decides by the clocks of its clients which job is abandoned; leases of ours do not. */
const OFFSET_MAX_MS = 2_000;
const CHECK_EVERY_MS = 60_000;

/** This machine's clock and the database's are too far apart. */
class ClockDrift extends InstallationError {}

/** @throws ClockDrift when this machine's clock is too far from the database's to share its queue */
export async function checkClock(database: Database): Promise<void> {
  const offsetMs = await clockOffsetMs(database);
  if (Math.abs(offsetMs) <= OFFSET_MAX_MS) return;
  throw new ClockDrift(
    `this machine's clock is ${Math.round(offsetMs)} ms off the database's; with the queue in PostgreSQL at most ` +
      `${OFFSET_MAX_MS} ms are allowed (set up NTP, or use REDIS_URL)`,
  );
}

/** Checks the clock again and again, and tells `onDrift` each time that it has drifted. Ends with `stop()`. */
export function watchClock(
  database: Database,
  onDrift: (error: ClockDrift) => void,
  everyMs = CHECK_EVERY_MS,
): PeriodicWork {
  const checks = new PeriodicWork(
    everyMs,
    async () => {
      await checkClock(database);
      return undefined;
    },
    (error) => {
      // Other parts notice a database that is away.
      if (error instanceof ClockDrift) onDrift(error);
    },
  );
  checks.start();
  return checks;
}
