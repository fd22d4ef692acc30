import type { Bench } from '../bench.js';

/** How often the bench looks at what the simulator has counted: nobody but the simulator works for that. */
const TICK_MS = 50;
/** How much longer a stretch may last that has to hold a number of messages. */
const WAIT_FOR_MESSAGES_MS = 10_000;

/** How many more messages the load may send now. */
export type Allowance = (undelivered: number, granted: number, elapsedMs: number) => number;

export interface Fed {
  /** Since the feeding began: receipts that were acknowledged, and so are stored. */
  readonly delivered: number;
  readonly undelivered: number;
  /** Submits that the simulator has refused, ever. */
  readonly refused: number;
  readonly atMs: number;
}

/** Goes on for so long, and longer while fewer than that many messages have come through; tells how it stands then. */
export type FeedFor = (durationMs: number, messagesMin?: number) => Promise<Fed>;

/** Feeds a load that `start` starts, by what the simulator has delivered: in the same way for every gateway. */
export async function beginFeeding(bench: Bench, start: () => void, allowance: Allowance): Promise<FeedFor> {
  const { simulator } = bench.service;
  const deliveredBefore = (await simulator.counters()).receiptsAcknowledged;
  start();
  const startedAt = performance.now();
  let granted = 0;
  return async (durationMs, messagesMin = 0) => {
    const until = performance.now() + durationMs;
    let wanted: number | undefined;
    for (;;) {
      bench.signal.throwIfAborted();
      const { receiptsAcknowledged, submits, taken } = await simulator.counters();
      const delivered = receiptsAcknowledged - deliveredBefore;
      const undelivered = granted - delivered;
      const atMs = performance.now();
      // On a busy machine a short window would hold next to nothing.
      wanted ??= delivered + messagesMin;
      const isEnough = delivered >= wanted || atMs >= until + WAIT_FOR_MESSAGES_MS;
      if (atMs >= until && isEnough) return { delivered, undelivered, refused: submits - taken, atMs };
      const more = Math.max(0, Math.floor(allowance(undelivered, granted, atMs - startedAt)));
      bench.generator.grant(more);
      granted += more;
      await new Promise((wake) => setTimeout(wake, atMs < until ? Math.min(TICK_MS, until - atMs) : TICK_MS));
    }
  };
}
