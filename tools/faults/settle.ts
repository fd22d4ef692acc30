import { awaitFact } from '../harness/await-fact.js';
import { HEARD_STATUSES, type HeardEvents } from '../harness/event-receiver.js';
import type { Facts } from '../harness/facts.js';

/**
 * What has not moved for so long is stuck: over lease, in-doubt wait and one more try, with room for a busy machine.
 * The wait doubles: a segment that is in doubt for the fourth time waits four minutes.
 */
const STUCK_AFTER_MS = 330_000;
/** A backlog that still shrinks is no fault, up to here. */
const SETTLE_TIMEOUT_MS = 20 * 60_000;

/** Until no order is open any more, or nothing moves: then the checker says what is open. */
export function settleOrders(facts: Facts, signal: AbortSignal): Promise<void> {
  return settle('everything is settled', signal, () => facts.openOrders());
}

/**
 * Until every change of a message and every batch has been told, or nothing more is: the checker says what is missing.
 */
export async function settleEvents(
  facts: Facts,
  { changes, batches }: HeardEvents,
  signal: AbortSignal,
): Promise<void> {
  const expected = (await facts.changesTo(HEARD_STATUSES)) + (await facts.batches());
  await settle('every event has arrived', signal, async () => expected - changes.size - batches.size);
}

/** Until nothing is left, or nothing becomes less. */
async function settle(what: string, signal: AbortSignal, left: () => Promise<number>): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let movedAtMs = performance.now();
  await awaitFact(what, SETTLE_TIMEOUT_MS, signal, async () => {
    const now = await left().catch(() => Number.POSITIVE_INFINITY);
    if (now < least) [least, movedAtMs] = [now, performance.now()];
    return now <= 0 || performance.now() > movedAtMs + STUCK_AFTER_MS;
  });
}
