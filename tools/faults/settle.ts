import { awaitFact } from '../bench/service/await-fact.js';
import type { System } from './system/system.js';

/** What has not moved for so long is stuck: over lease, in-doubt wait and one more try, with room for a busy machine. */
const STUCK_AFTER_MS = 120_000;
/** A backlog that still shrinks is no fault, up to here. */
const SETTLE_TIMEOUT_MS = 20 * 60_000;

/** Until nothing is open any more, or nothing moves: then the checker says what is open. */
export async function settle({ postgres }: System, signal: AbortSignal): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let movedAtMs = performance.now();
  await awaitFact('everything is settled', SETTLE_TIMEOUT_MS, async () => {
    signal.throwIfAborted();
    const [row] = await postgres.query<{ open: number }>(OPEN).catch(() => []);
    if (row !== undefined && row.open < least) {
      least = row.open;
      movedAtMs = performance.now();
    }
    return row?.open === 0 || performance.now() > movedAtMs + STUCK_AFTER_MS || undefined;
  });
}

const OPEN = 'select count(*)::integer as open from message_order where due_at is not null';
