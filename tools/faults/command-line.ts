import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { wholeNumber } from '#config';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios/index.js';
import type { QueueBackEnd } from './system/system.js';

/** How the faults are to be run. */
export interface FaultOptions {
  readonly seed: number;
  /** Undefined: as many as each scenario has by itself. */
  readonly rounds: number | undefined;
  readonly scenarios: readonly Scenario[];
  /** Whether they were named, rather than all taken. */
  readonly areNamed: boolean;
  /** Undefined: Redis when a server is on the PATH, else PostgreSQL. */
  readonly queue: QueueBackEnd | undefined;
  readonly sendsPerSecond: number;
  /** Messages of a scenario about receipts: each gets about one receipt, or several, or none. */
  readonly receipts: number;
  /** Folder of an earlier version, built, from which a running service is upgraded. */
  readonly earlierVersion: string | undefined;
  readonly dir: string;
  readonly jsonFile: string | undefined;
  readonly isShort: boolean;
  readonly isKept: boolean;
  readonly isList: boolean;
}

interface Flags {
  seed?: number;
  rounds?: number;
  only?: readonly Scenario[];
  queue?: QueueBackEnd;
  rate?: number;
  receipts: number;
  from?: string;
  dir: string;
  json?: string;
  short: boolean;
  keep: boolean;
  list: boolean;
}

/** Every version that can be upgraded has this. */
const BUILT_PROGRAM = 'dist/scripts/migrate.js';
const SENDS_PER_SECOND = 250;
const RECEIPTS = 20_000;
const SHORT_SENDS_PER_SECOND = 60;

const EXAMPLES = `
Examples:
  npm run faults                                          every scenario, on Redis when this machine has one
  npm run faults -- --list
  npm run faults -- --only worker-kill --rounds 200 --seed 7
  npm run faults -- --only mixed --queue postgres --json out.json
  npm run faults -- --only upgrade --from ../heliograph-1.4
  npm run faults -- --short                               a few kills of each kind, within 100 s (for CI)

What is checked, and what the columns mean, is written down in docs/faults.md.`;

/** Reads the flags. `--help` and a wrong flag print what commander prints and end the process. */
export function parseCommandLine(argv: readonly string[]): FaultOptions {
  const flags = program()
    .parse([...argv], { from: 'user' })
    .opts<Flags>();
  return {
    seed: flags.seed ?? Math.floor(Math.random() * 1_000_000),
    rounds: flags.rounds,
    scenarios: flags.only ?? SCENARIOS,
    areNamed: flags.only !== undefined,
    queue: flags.queue,
    sendsPerSecond: flags.rate ?? (flags.short ? SHORT_SENDS_PER_SECOND : SENDS_PER_SECOND),
    receipts: flags.receipts,
    earlierVersion: flags.from,
    dir: flags.dir,
    jsonFile: flags.json,
    isShort: flags.short,
    isKept: flags.keep,
    isList: flags.list,
  };
}

function program(): Command {
  return new Command('npm run faults --')
    .description(
      'Starts the real processes on free ports, kills, stalls and cuts them under load, and checks every message.',
    )
    .option(
      '--seed <n>',
      'of the load and of the faults; random when left out, and printed',
      wholeNumber(0, 0xffff_ffff),
    )
    .option('--rounds <n>', 'faults of each scenario; each has its own number when left out', wholeNumber(1, 100_000))
    .option('--only <scenarios>', 'comma-separated; --list names them', scenarios)
    .addOption(
      new Option('--queue <back end>', 'default: redis when a server is on the PATH').choices(['redis', 'postgres']),
    )
    .option('--rate <n>', `sends per second; ${SENDS_PER_SECOND} when left out`, wholeNumber(1, 5_000))
    .option('--receipts <n>', 'messages of each scenario about receipts', wholeNumber(1, 10_000_000), RECEIPTS)
    .option('--from <folder>', 'for upgrade: a checkout of an earlier version, built', builtVersion)
    .option('--dir <folder>', 'where the run keeps its databases and histories, in a folder of its own', tmpdir())
    .option('--json <file>', 'writes everything that was measured as one JSON document')
    .option('--short', 'a few faults of each kind with short waits', false)
    .option('--keep', 'keeps the folder of the run also when all is well', false)
    .option('--list', 'says what each scenario does', false)
    .addHelpText('after', EXAMPLES);
}

function builtVersion(value: string): string {
  const folder = resolve(value);
  if (existsSync(join(folder, BUILT_PROGRAM))) return folder;
  throw new InvalidArgumentError(`There is no ${BUILT_PROGRAM} in ${folder}; npm run build makes it.`);
}

function scenarios(value: string): readonly Scenario[] {
  return value.split(',').map((given) => {
    const scenario = SCENARIOS.find(({ name }) => name === given.trim());
    if (scenario === undefined) {
      throw new InvalidArgumentError(`There is no ${given.trim()}; --list names the scenarios.`);
    }
    return scenario;
  });
}
