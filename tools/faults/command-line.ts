import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '#config';
import { addSystemFlags, namesOf } from '../harness/flags.js';
import type { QueueBackEnd } from '../harness/queue.js';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios/index.js';

/** How the faults are to be run: what `--help` explains. */
export interface FaultOptions {
  readonly queue?: QueueBackEnd;
  readonly seed: number;
  readonly rounds?: number;
  readonly only?: readonly Scenario[];
  /** Sends per second. */
  readonly rate?: number;
  readonly receipts: number;
  readonly from?: string;
  readonly dir: string;
  readonly json?: string;
  readonly short: boolean;
  readonly keep: boolean;
  readonly list: boolean;
}

/** Every version that can be upgraded has this. */
const BUILT_PROGRAM = 'dist/scripts/migrate.js';
/**
 * When neither the command line nor the scenario says. At 250 the load itself keeps two processors busy, and the times
 * of recovery would measure the load.
 */
export const SENDS_PER_SECOND = 150;
export const SHORT_SENDS_PER_SECOND = 60;
const RECEIPTS = 20_000;

const EXAMPLES = `
Examples:
  npm run faults                                          every scenario, on Redis when this machine has one
  npm run faults -- --list
  npm run faults -- --only worker-kill --rounds 200 --seed 7
  npm run faults -- --only mixed --queue postgres --json out.json
  npm run faults -- --only upgrade --from ../heliograph-0.2.0
  npm run faults -- --short                               a few kills of each kind, within 100 s (for CI)

What is checked, and what the columns mean, is written down in docs/faults.md.`;

/** Reads the flags. `--help` and a wrong flag print what commander prints and end the process. */
export function parseCommandLine(argv: readonly string[]): FaultOptions {
  const flags = program()
    .parse([...argv], { from: 'user' })
    .opts<Omit<FaultOptions, 'seed'>>();
  return { seed: Math.floor(Math.random() * 1_000_000), ...flags };
}

function program(): Command {
  const command = new Command('npm run faults --').description(
    'Starts the real processes on free ports, kills, stalls and cuts them under load, and checks every message.',
  );
  return addSystemFlags(command)
    .option(
      '--seed <n>',
      'of the load and of the faults; random when left out, and printed',
      wholeNumber(0, 0xffff_ffff),
    )
    .option('--rounds <n>', 'faults of each scenario; each has its own number when left out', wholeNumber(1, 100_000))
    .option('--only <scenarios>', 'comma-separated; --list names them', scenariosOf)
    .option('--rate <n>', `sends per second; ${SENDS_PER_SECOND} when left out`, wholeNumber(1, 5_000))
    .option('--receipts <n>', 'messages of each scenario about receipts', wholeNumber(1, 1_000_000), RECEIPTS)
    .option('--from <folder>', 'for upgrade: a checkout of an earlier version, built', builtVersion)
    .option('--short', 'a few faults of each kind with short waits', false)
    .option('--keep', 'keeps the folder of the run also when all is well', false)
    .option('--list', 'says what each scenario does', false)
    .addHelpText('after', EXAMPLES);
}

function scenariosOf(value: string): Scenario[] {
  const names = namesOf(SCENARIOS.map(({ name }) => name))(value);
  return names.flatMap((name) => SCENARIOS.filter((known) => known.name === name));
}

function builtVersion(value: string): string {
  const folder = resolve(value);
  if (existsSync(join(folder, BUILT_PROGRAM))) return folder;
  throw new InvalidArgumentError(`There is no ${BUILT_PROGRAM} in ${folder}; npm run build makes it.`);
}
