import type { RequestShape } from '../../harness/load/job.js';
import type { Bench } from '../bench.js';
import type { Window } from '../figures.js';

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

/** A gateway's send API, ours or another's. */
export interface SendTarget {
  readonly port: number;
  readonly request: RequestShape;
  readonly expectedStatus: number;
}

export interface UnderWay {
  readonly window: Window;
  readonly accepted: number;
  /** Submits that the simulator refused. */
  readonly refusedPerSecond: number;
}

/**
 * As many single sends as keep that many messages sent and not yet delivered, so that no backlog can grow. Counted at the
 * simulator, in the same way for every gateway: a message is delivered when its receipt is acknowledged.
 */
export async function keepUnderWay(
  bench: Bench,
  target: SendTarget,
  outstanding: number,
  warmupMs = bench.options.warmupMs,
): Promise<UnderWay> {
  const { windowMs, connections } = bench.options;
  const feedFor = await beginFeeding(
    bench,
    () => bench.generator.startFed({ ...target, connections }),
    (undelivered) => outstanding - undelivered,
  );
  const { result, cores } = await bench.watchCores(async () => {
    const from = await feedFor(warmupMs);
    return { from, to: await feedFor(windowMs) };
  });
  const { from, to } = result;
  const { answeredInAll, unexpected, p50Ms, p99Ms, p999Ms } = await bench.generator.stopFed();
  const seconds = (to.atMs - from.atMs) / 1_000;
  const perSecond = (to.delivered - from.delivered) / seconds;
  const refusedPerSecond = (to.refused - from.refused) / seconds;
  const backlog = { start: from.undelivered, end: to.undelivered };
  const window = { perSecond, p50Ms, p99Ms, p999Ms, unexpected, cores, backlog };
  return { window, accepted: answeredInAll, refusedPerSecond };
}
