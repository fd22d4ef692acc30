import { tmpdir } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';

export const SCENARIOS = ['e2e', 'reads', 'single', 'batch', 'generators', 'fairness'] as const;
export type Scenario = (typeof SCENARIOS)[number];
/**
 * `generators` compares the load generators and says nothing of the service, and `fairness` slows the carrier down and leaves a
 * backlog: these have to be asked for.
 */
const USUAL: readonly Scenario[] = ['e2e', 'reads', 'single', 'batch'];

export type QueueBackEnd = 'redis' | 'postgres';

/** How the bench is to be run. */
export interface BenchOptions {
  /** Undefined: Redis when a server is on the PATH, else PostgreSQL. */
  readonly queue: QueueBackEnd | undefined;
  readonly scenarios: readonly Scenario[];
  readonly windows: number;
  readonly windowMs: number;
  readonly warmupMs: number;
  readonly connections: number;
  readonly batchConnections: number;
  readonly batchEntries: number;
  /** Messages that the closed end-to-end load keeps accepted and not yet delivered. */
  readonly outstanding: number;
  /** Of the carrier's bind. */
  readonly carrierWindow: number;
  readonly dir: string;
  readonly jsonFile: string | undefined;
  readonly isSmoke: boolean;
}

interface Flags {
  queue?: QueueBackEnd;
  only?: Scenario[];
  windows: number;
  seconds: number;
  connections: number;
  batchConnections: number;
  batch: number;
  outstanding: number;
  carrierWindow: number;
  dir: string;
  json?: string;
  smoke: boolean;
}

const EXAMPLES = `
Examples:
  npm run bench                                     everything, on Redis when this machine has one
  npm run bench -- --queue postgres --json out.json
  npm run bench -- --only single,batch --windows 5
  npm run bench -- --only fairness                  other accounts beside a backlog of 100,000 messages
  npm run bench -- --smoke                          does it run at all? (for CI)

What is measured, and where the clock starts and stops, is written down in docs/performance.md.`;

/** Reads the flags. `--help` and a wrong flag print what commander prints and end the process. */
export function parseCommandLine(argv: readonly string[]): BenchOptions {
  const flags = program()
    .parse([...argv], { from: 'user' })
    .opts<Flags>();
  return {
    queue: flags.queue,
    scenarios: flags.only ?? USUAL,
    windows: flags.smoke ? 1 : flags.windows,
    windowMs: flags.smoke ? 2_000 : flags.seconds * 1_000,
    warmupMs: flags.smoke ? 500 : 3_000,
    connections: flags.connections,
    batchConnections: flags.batchConnections,
    batchEntries: flags.batch,
    outstanding: flags.outstanding,
    carrierWindow: flags.carrierWindow,
    dir: flags.dir,
    jsonFile: flags.json,
    isSmoke: flags.smoke,
  };
}

function program(): Command {
  return new Command('npm run bench --')
    .description('Starts the real processes on free ports, loads them over HTTP, and prints what they do per second.')
    .addOption(
      new Option('--queue <back end>', 'default: redis when a server is on the PATH').choices(['redis', 'postgres']),
    )
    .option('--only <scenarios>', `comma-separated, of ${SCENARIOS.join(', ')}`, scenarios)
    .option('--windows <n>', 'windows of each figure', integer(1, 100), 3)
    .option('--seconds <n>', 'length of a window', integer(1, 600), 10)
    .option('--connections <n>', 'of single sends and reads', integer(1, 1_000), 64)
    .option('--batch-connections <n>', 'of batches', integer(1, 100), 4)
    .option('--batch <n>', 'entries of a batch', integer(1, 1_000), 1_000)
    .option('--outstanding <n>', 'undelivered messages in the end-to-end load', integer(1, 100_000), 500)
    .option('--carrier-window <n>', 'unanswered submits on the carrier bind', integer(1, 1_000), 50)
    .option('--dir <folder>', 'where the databases are made, in a folder of their own', tmpdir())
    .option('--json <file>', 'writes everything that was measured as one JSON document')
    .option('--smoke', 'one short window of each: checks that it runs, and asserts no speed', false)
    .addHelpText('after', EXAMPLES);
}

function scenarios(value: string): Scenario[] {
  const names = value.split(',').map((name) => name.trim());
  const known = names.filter((name): name is Scenario => SCENARIOS.some((scenario) => scenario === name));
  if (known.length !== names.length) throw new InvalidArgumentError(`It must be of ${SCENARIOS.join(', ')}.`);
  return known;
}

function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return number;
  };
}
