import { awaitFact } from '../harness/await-fact.js';
import type { EventReceiver } from '../harness/event-receiver.js';
import type { Facts } from '../harness/facts.js';
import { HEARD_STATUSES } from './accounts.js';

/**
 * What has not moved for so long is stuck: over lease, in-doubt wait and one more try, with room for a busy machine.
 * The wait doubles: a segment that is in doubt for the fourth time waits four minutes.
 */
const STUCK_AFTER_MS = 330_000;
/** A backlog that still shrinks is no fault, up to here. */
const SETTLE_TIMEOUT_MS = 20 * 60_000;

/** Until nothing is open any more, or nothing moves: then the checker says what is open. */
export async function settle(facts: Facts, signal: AbortSignal): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let movedAtMs = performance.now();
  await awaitFact('everything is settled', SETTLE_TIMEOUT_MS, signal, async () => {
    const open = await facts.openOrders().catch(() => Number.POSITIVE_INFINITY);
    if (open < least) [least, movedAtMs] = [open, performance.now()];
    return open === 0 || performance.now() > movedAtMs + STUCK_AFTER_MS;
  });
}

/**
 * Until every change of a message and every batch has been told, or nothing more is: the checker says what is missing.
 */
export async function settleEvents(facts: Facts, events: EventReceiver, signal: AbortSignal): Promise<void> {
  const { changes, batches } = events;
  let most = -1;
  let movedAtMs = performance.now();
  const expected = (await facts.changesTo(HEARD_STATUSES)) + (await facts.batches());
  await awaitFact('every event has arrived', SETTLE_TIMEOUT_MS, signal, async () => {
    const heard = changes.size + batches.size;
    if (heard > most) [most, movedAtMs] = [heard, performance.now()];
    return heard >= expected || performance.now() > movedAtMs + STUCK_AFTER_MS;
  });
}
