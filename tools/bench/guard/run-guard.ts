import { findRedisServer } from '../../../scripts/redis/local-redis.js';
import type { QueueBackEnd } from '../../harness/queue.js';
import type { BenchOptions, Scenario } from '../command-line.js';
import { sharedCores } from '../report-text.js';
import { type BenchReport, runBench } from '../run-bench.js';
import { readBaseline, writeBaseline } from './baseline-file.js';
import { compareWithBaseline, comparisonText, type GuardedRatios, guardedRatios, hasFallen } from './ratios.js';

/** Above this the rates are not judged: see compareWithBaseline. The bench itself and the kernel are below it. */
const SHARED_CORES = 0.3;
/** What the queue has a part in; batches and reads are the same on both. */
const OF_THE_QUEUE: readonly Scenario[] = ['e2e', 'single'];

/**
 * The short run: does everything work, and is nothing more than a third slower, by its yardstick, than the committed
 * baseline? Both queue back ends, unless one is asked for. What seems to have fallen is measured once more before it is
 * believed.
 *
 * @returns whether all is well
 */
export async function runGuard(
  options: BenchOptions,
  signal: AbortSignal,
  say: (line: string) => void,
  publish: (report: BenchReport) => void,
): Promise<boolean> {
  let isWell = true;
  for (const { queue, scenarios } of partsOf(options)) {
    const reports: BenchReport[] = [];
    const baseline = ofScenarios(readBaseline(queue), scenarios);
    const measureAndCompare = async () => {
      const report = await runBench({ ...options, queue, scenarios }, signal, say);
      publish(report);
      reports.push(report);
      if (options.writeBaseline) writeBaseline(queue, guardedRatios(report.figures));
      const runs = reports.map(({ figures }) => guardedRatios(figures));
      const isShared = reports.every((one) => sharedCores(one) > SHARED_CORES);
      return options.writeBaseline ? [] : compareWithBaseline(baseline, runs, isShared);
    };
    let comparisons = await measureAndCompare();
    if (hasFallen(comparisons)) {
      say('a ratio has fallen by more than a third: measuring once more ...');
      comparisons = await measureAndCompare();
    }
    for (const comparison of comparisons) say(comparisonText(comparison));
    isWell &&= !hasFallen(comparisons) && reports.every(({ checks }) => checks.every(({ ok }) => ok));
  }
  return isWell;
}

/** What `--only` leaves out is not missing. */
function ofScenarios(baseline: GuardedRatios, scenarios: readonly Scenario[]): GuardedRatios {
  const isWanted = (pair: string) => scenarios.some((scenario) => pair.includes(scenario.replace(/s$/, '')));
  return Object.fromEntries(Object.entries(baseline).filter(([pair]) => isWanted(pair)));
}

function partsOf({ queue, scenarios }: BenchOptions): { queue: QueueBackEnd; scenarios: readonly Scenario[] }[] {
  if (queue !== undefined) return [{ queue, scenarios }];
  const postgres = { queue: 'postgres', scenarios } as const;
  if (findRedisServer() === undefined) return [postgres];
  const rest = scenarios.filter((scenario) => OF_THE_QUEUE.includes(scenario));
  return [{ queue: 'redis', scenarios }, ...(rest.length > 0 ? [{ ...postgres, scenarios: rest }] : [])];
}
