import type { Teardown } from '../../scripts/supervisor/teardown.js';
import { startOpponent } from './against/start-opponent.js';
import { Bench } from './bench.js';
import { BenchDatabase } from './bench-database.js';
import type { BenchOptions } from './command-line.js';
import type { LoadGenerator } from './generator/load-generator.js';
import { createFixtures } from './service/fixtures.js';
import { type DatabasePlace, Service } from './service/service.js';

/** What every bench of a run shares. */
export interface BenchRun {
  readonly options: BenchOptions;
  readonly generator: LoadGenerator;
  readonly teardown: Teardown;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** What fails while things are stopped is said and stops nothing else. */
  readonly complain: (error: unknown) => void;
}

/** A service of its own with its accounts, ready to be loaded; the worker is not started. */
export async function startBench(run: BenchRun, place?: DatabasePlace): Promise<Bench> {
  const { options, generator, teardown, signal, say, complain } = run;
  const own = (started: Service) => teardown.add(() => started.close(complain));
  const service = await Service.start(options, signal, own, place);
  const database = await BenchDatabase.open(service.databaseUrl);
  teardown.add(() => database.close());
  const accounts = await createFixtures(service, options);
  // Beside the service's own database only: what a second one is for has no opponent.
  const foreign =
    place === undefined
      ? await startOpponent(options, service, signal, say, (gateway) => teardown.add(() => gateway.close()))
      : undefined;
  return new Bench(options, service, generator, database, accounts, signal, say, foreign);
}
