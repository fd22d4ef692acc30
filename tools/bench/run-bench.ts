import { Teardown } from '../../scripts/supervisor/teardown.js';
import { LoadGenerator } from '../harness/load/load-generator.js';
import type { MemoryTrend } from '../harness/usage.js';
import { checkRun } from './checks.js';
import type { BenchOptions } from './command-line.js';
import { type Check, type PublishedFigure, publish } from './figures.js';
import { describeMachine, type Machine } from './machine.js';
import { ACCEPT_KINDS, measureAccepting } from './scenarios/accept.js';
import { measureAgainst } from './scenarios/against.js';
import { measureBacklog } from './scenarios/backlog.js';
import { measureEndToEnd, measureManyEndToEnd } from './scenarios/end-to-end.js';
import { measureFairness } from './scenarios/fairness.js';
import { type FlatReport, measureFlat } from './scenarios/flat.js';
import { compareGenerators } from './scenarios/generators.js';
import { measureIdle } from './scenarios/idle.js';
import { measureLimited } from './scenarios/limited.js';
import { measureNeighbours } from './scenarios/neighbours.js';
import { measureReads } from './scenarios/reads.js';
import { measureSimulator } from './scenarios/simulator.js';
import { measureSoak } from './scenarios/soak.js';
import { measureWorkers } from './scenarios/workers.js';
import { startBench } from './start-bench.js';

/** Everything that a run has to say. */
export interface BenchReport {
  readonly at: string;
  readonly queue: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly opponent: { readonly title: string; readonly durability: string } | undefined;
  readonly figures: readonly PublishedFigure[];
  /** How long the server took for pages of lists, by the database that they were read from. */
  readonly pages: FlatReport['pages'];
  readonly memory: readonly MemoryTrend[];
  readonly checks: readonly Check[];
}

/**
 * Starts the service, loads it, checks it, and stops it, whatever happens in between.
 *
 * @param signal ends the run early; what was started is stopped all the same
 */
export async function runBench(
  options: BenchOptions,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<BenchReport> {
  const teardown = new Teardown();
  const complain = (error: unknown) => say(`while stopping: ${error instanceof Error ? error.message : error}`);
  try {
    say('starting the service ...');
    const generator = new LoadGenerator();
    teardown.add(() => generator.close());
    // A job that is under way fails at once when its process ends.
    signal.addEventListener('abort', () => generator.close().catch(complain), { once: true });
    const run = { options, generator, teardown, signal, say };
    const bench = await startBench(run);
    const { service, facts } = bench;
    const machine = await describeMachine(facts, service.redis, service.dir);

    // What leaves a backlog comes last: the others need an idle machine.
    const wanted = new Set(options.scenarios);
    if (wanted.has('generators')) await compareGenerators(bench);
    if (wanted.has('simulator')) await measureSimulator(bench);
    if (wanted.has('against')) await measureAgainst(bench);
    if (wanted.has('limited')) await measureLimited(bench);
    if (wanted.has('idle')) await measureIdle(bench);
    if (wanted.has('e2e')) await measureEndToEnd(bench);
    if (wanted.has('many')) await measureManyEndToEnd(bench);
    if (wanted.has('neighbours')) await measureNeighbours(bench);
    if (wanted.has('reads')) await measureReads(bench);
    if (wanted.has('workers')) await measureWorkers(bench);
    const flat = wanted.has('flat') ? await measureFlat(bench, run) : undefined;
    const memory: MemoryTrend[] = [];
    if (wanted.has('soak')) memory.push(...(await measureSoak(bench, options.minutes, options.rate)));
    await measureAccepting(
      bench,
      ACCEPT_KINDS.filter((kind) => wanted.has(kind)),
    );

    if (wanted.has('fairness')) await measureFairness(bench);
    if (wanted.has('backlog')) memory.push(...(await measureBacklog(bench, options.messages)));

    say('checking what was stored ...');
    const opponent = bench.foreign && { title: bench.foreign.title, durability: bench.foreign.durability };
    const figures = publish(bench.figures, options.stolenCoresMax);
    const checks = await checkRun(bench, figures);
    if (flat !== undefined) {
      const ofFilled = await checkRun(flat.bench, figures);
      checks.push(...ofFilled.map((check) => ({ ...check, name: `on the filled database: ${check.name}` })));
    }
    const pages = flat?.pages ?? [];
    return {
      at: new Date().toISOString(),
      queue: service.options.queue,
      machine,
      options,
      opponent,
      figures,
      pages,
      memory,
      checks,
    };
  } finally {
    await teardown.run(complain);
  }
}
