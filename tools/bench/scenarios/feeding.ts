import { type Bench, type Load, targetOf } from '../bench.js';
import type { BenchOptions } from '../command-line.js';

/** How often the bench looks at what the simulator has counted: nobody but the simulator works for that. */
const TICK_MS = 50;
/** How much longer a stretch may last that has to hold a number of messages. */
const WAIT_FOR_MESSAGES_MS = 10_000;

/** How many more messages the load may send now. */
export type Allowance = (undelivered: number, granted: number, elapsedMs: number) => number;

/** Of a load, before it counts and while it does. */
export type Lengths = Pick<BenchOptions, 'warmupMs' | 'windowMs'>;

/** A moment by both clocks that time messages. */
export interface Moment {
  /** Milliseconds since 1970, by the clock of this machine. */
  readonly atMs: number;
  /** By the database's clock. */
  readonly at: string;
}

/** How far the load is at a moment. */
interface Fed extends Moment {
  /** Since the load began: receipts that were acknowledged, and so are stored. */
  readonly delivered: number;
  readonly undelivered: number;
  /** Submits that the simulator has refused, ever. */
  readonly refused: number;
}

/**
 * A warm-up and a window of single sends, of which no more are sent than the allowance lets through by what the
 * simulator has delivered: a message is delivered when its receipt is acknowledged, whichever gateway it came from.
 *
 * @returns how far it was when the window began and ended, and what the generator says of the whole load
 */
export async function feedWindow(
  bench: Bench,
  target: Load,
  allowance: Allowance,
  { warmupMs, windowMs }: Lengths = bench.options,
) {
  const { generator, service, facts, signal } = bench;
  const { receiptsAcknowledged: deliveredBefore } = await service.simulator.counters();
  generator.startFed(targetOf(target));
  const startedAt = performance.now();
  let granted = 0;
  /** Goes on for so long, and longer while fewer than that many messages have come through. */
  const feedFor = async (durationMs: number, messagesMin: number): Promise<Fed> => {
    const until = performance.now() + durationMs;
    let wanted: number | undefined;
    for (;;) {
      signal.throwIfAborted();
      const { receiptsAcknowledged, submits, taken } = await service.simulator.counters();
      const delivered = receiptsAcknowledged - deliveredBefore;
      const undelivered = granted - delivered;
      const nowMs = performance.now();
      // On a busy machine a short window would hold next to nothing.
      wanted ??= delivered + messagesMin;
      const isEnough = delivered >= wanted || nowMs >= until + WAIT_FOR_MESSAGES_MS;
      if (nowMs >= until && isEnough) {
        const atMs = performance.timeOrigin + nowMs;
        return { delivered, undelivered, refused: submits - taken, atMs, at: await facts.now() };
      }
      const more = Math.max(0, Math.floor(allowance(undelivered, granted, nowMs - startedAt)));
      generator.grant(more);
      granted += more;
      await new Promise((wake) => setTimeout(wake, nowMs < until ? Math.min(TICK_MS, until - nowMs) : TICK_MS));
    }
  };
  const { result, cores } = await bench.watchCores(async () => {
    const least = bench.messagesMin('e2e');
    const from = await feedFor(warmupMs, least.warmup);
    return { from, to: await feedFor(windowMs, least.window) };
  });
  const fed = await generator.stopFed();
  bench.countAnswered(target, fed.answeredInAll);
  const backlog = { start: result.from.undelivered, end: result.to.undelivered };
  return { ...result, cores, backlog, load: fed };
}

/** So many messages are sent and not delivered yet, so that no backlog can grow. */
export function keepUnderWay(outstanding: number): Allowance {
  return (undelivered) => outstanding - undelivered;
}
