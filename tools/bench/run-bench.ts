import { Teardown } from '../../scripts/supervisor/teardown.js';
import { LoadGenerator } from '../harness/load/load-generator.js';
import type { MemoryTrend } from '../harness/usage.js';
import type { Bench } from './bench.js';
import { checkRun } from './checks.js';
import type { BenchOptions, Scenario } from './command-line.js';
import { type Check, type PageTimes, type PublishedFigure, publish } from './figures.js';
import { describeMachine, type Machine } from './machine.js';
import { ACCEPT_KINDS, measureAccepting } from './scenarios/accept.js';
import { measureAgainst } from './scenarios/against.js';
import { measureBacklog } from './scenarios/backlog.js';
import { measureConsoles } from './scenarios/consoles.js';
import { measureEndToEnd, measureManyEndToEnd } from './scenarios/end-to-end.js';
import { measureExports } from './scenarios/exports.js';
import { measureFairness } from './scenarios/fairness.js';
import { filledPlace } from './scenarios/filled.js';
import { measureFilters } from './scenarios/filters.js';
import { measureFlat } from './scenarios/flat.js';
import { measureGuards } from './scenarios/guards.js';
import { measureIdle } from './scenarios/idle.js';
import { measureLimited } from './scenarios/limited.js';
import { measureNeighbours } from './scenarios/neighbours.js';
import { measureReads } from './scenarios/reads.js';
import { measureSoak } from './scenarios/soak.js';
import { measureTraces } from './scenarios/traces.js';
import { measureWebhooks } from './scenarios/webhooks.js';
import { measureWorkers } from './scenarios/workers.js';
import { compareGenerators, measureSimulator } from './scenarios/yardsticks.js';
import { startBench } from './start-bench.js';

/** In this order: what leaves a backlog comes last, because the others need an idle machine. */
const STEPS: readonly (readonly [readonly Scenario[], (bench: Bench) => Promise<void>])[] = [
  [['generators'], compareGenerators],
  [['simulator'], measureSimulator],
  [['against'], measureAgainst],
  [['limited'], measureLimited],
  [['idle'], measureIdle],
  [['e2e'], measureEndToEnd],
  [['many'], measureManyEndToEnd],
  [['neighbours'], measureNeighbours],
  [['reads'], measureReads],
  [['workers'], measureWorkers],
  [['webhooks'], measureWebhooks],
  [['flat'], measureFlat],
  [['filters'], measureFilters],
  [['export'], measureExports],
  [['soak'], measureSoak],
  [['traces'], measureTraces],
  [['consoles'], measureConsoles],
  [['guards'], measureGuards],
  [ACCEPT_KINDS, measureAccepting],
  [['fairness'], measureFairness],
  [['backlog'], measureBacklog],
];

const OF_THE_FILLED: readonly Scenario[] = ['flat', 'filters', 'export'];

/** Everything that a run has to say. */
export interface BenchReport {
  readonly at: string;
  readonly queue: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly opponent: { readonly title: string; readonly durability: string } | undefined;
  readonly figures: readonly PublishedFigure[];
  /** How long the server took for pages of lists, by the database that they were read from. */
  readonly pages: readonly PageTimes[];
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
  // Without one the run ends now, and not when other scenarios have been measured.
  if (OF_THE_FILLED.some((scenario) => options.scenarios.includes(scenario))) filledPlace(options);
  const teardown = new Teardown();
  const complain = (error: unknown) => say(`while stopping: ${error instanceof Error ? error.message : error}`);
  try {
    say('starting the service ...');
    const generator = new LoadGenerator();
    teardown.add(() => generator.close());
    // A job that is under way fails at once when its process ends.
    signal.addEventListener('abort', () => generator.close().catch(complain), { once: true });
    const bench = await startBench({ options, generator, teardown, signal, say });
    const { service, facts } = bench;
    const machine = await describeMachine(facts, service.redis, service.dir);

    for (const [scenarios, measure] of STEPS) {
      if (scenarios.some((scenario) => options.scenarios.includes(scenario))) await measure(bench);
    }

    say('checking what was stored ...');
    const opponent = bench.foreign && { title: bench.foreign.title, durability: bench.foreign.durability };
    const figures = publish(bench.figures, options.stolenCoresMax);
    const checks = await checkRun(bench, figures);
    if (bench.filled !== undefined) {
      const ofFilled = await checkRun(bench.filled, figures);
      checks.push(...ofFilled.map((check) => ({ ...check, name: `on the filled database: ${check.name}` })));
    }
    const { pages, memory } = bench;
    const { queue } = service.options;
    return { at: new Date().toISOString(), queue, machine, options, opponent, figures, pages, memory, checks };
  } finally {
    await teardown.run(complain);
  }
}
