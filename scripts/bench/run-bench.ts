import { Teardown } from '../supervisor/teardown.js';
import { Bench } from './bench.js';
import { BenchDatabase } from './bench-database.js';
import { type Check, checkRun } from './checks.js';
import type { BenchOptions } from './command-line.js';
import { type PublishedFigure, publish } from './figures.js';
import { LoadGenerator } from './generator/load-generator.js';
import { describeMachine, type Machine } from './machine.js';
import { measureAccepting } from './scenarios/accept.js';
import { measureEndToEnd } from './scenarios/end-to-end.js';
import { measureFairness } from './scenarios/fairness.js';
import { compareGenerators } from './scenarios/generators.js';
import { measureReads } from './scenarios/reads.js';
import { createFixtures } from './service/fixtures.js';
import { Service } from './service/service.js';

/** Everything that a run has to say. */
export interface BenchReport {
  readonly at: string;
  readonly queue: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly figures: readonly PublishedFigure[];
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
    const service = await Service.start(options, signal, (started) => teardown.add(() => started.close(complain)));
    const generator = new LoadGenerator();
    teardown.add(() => generator.close());
    // A job that is under way fails at once when its process ends.
    signal.addEventListener('abort', () => generator.close().catch(complain), { once: true });
    const database = await BenchDatabase.open(service.databaseUrl);
    teardown.add(() => database.close());
    const machine = await describeMachine(database, service.redisUrl, service.dir);
    const accounts = await createFixtures(service, options);
    const bench = new Bench(options, service, generator, database, accounts, signal, say);

    // What leaves a backlog comes last: the others need an idle machine.
    const wanted = new Set(options.scenarios);
    if (wanted.has('generators')) await compareGenerators(bench);
    if (wanted.has('e2e')) await measureEndToEnd(bench);
    if (wanted.has('reads')) await measureReads(bench);
    await measureAccepting(
      bench,
      (['single', 'batch'] as const).filter((kind) => wanted.has(kind)),
    );

    if (wanted.has('fairness')) await measureFairness(bench);

    say('checking what was stored ...');
    const figures = publish(bench.figures);
    const checks = await checkRun(bench, figures);
    return { at: new Date().toISOString(), queue: service.queue, machine, options, figures, checks };
  } finally {
    await teardown.run(complain);
  }
}
