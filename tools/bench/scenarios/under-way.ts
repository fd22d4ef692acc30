import type { RequestShape } from '../../harness/load/job.js';
import type { Bench } from '../bench.js';
import type { Window } from '../figures.js';
import { beginFeeding } from './feeding.js';

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
