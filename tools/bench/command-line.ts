import { Command, InvalidArgumentError, Option } from 'commander';
import { wholeNumber } from '#config';
import { addSystemFlags, namesOf } from '../harness/flags.js';
import { type ForeignTarget, readForeignTarget } from '../harness/load/dialects.js';
import type { QueueBackEnd } from '../harness/queue.js';
import { KANNEL_STORES, type KannelStore } from './against/kannel.js';

export const SCENARIOS = [
  'e2e',
  'reads',
  'idle',
  'single',
  'many',
  'batch',
  'generators',
  'neighbours',
  'fairness',
  'simulator',
  'against',
  'limited',
  'workers',
  'webhooks',
  'traces',
  'consoles',
  'guards',
  'flat',
  'filters',
  'export',
  'soak',
  'backlog',
] as const;
export type Scenario = (typeof SCENARIOS)[number];
/**
 * The others have to be asked for: they say nothing of the service alone, or something of one kind of carrier, need a
 * filled database or a larger machine, slow the carrier down, or take long.
 */
const USUAL: readonly Scenario[] = ['e2e', 'reads', 'idle', 'single', 'batch'];
/**
 * Short, so that it can run with every change: every figure of the first window is dropped, the medians are of the
 * others.
 */
const SMOKE = {
  scenarios: ['e2e', 'reads', 'single', 'batch'] as readonly Scenario[],
  windows: 4,
  discardedWindows: 1,
  windowMs: 600,
  warmupMs: 150,
  messagesMin: { firstWarmup: 16_000, counted: 300 },
  // It compares neighbouring windows, which the host disturbs alike.
  stolenCoresMax: Number.POSITIVE_INFINITY,
};
/** When another gateway is there and nothing else was said. */
const USUAL_AGAINST: readonly Scenario[] = ['against', 'limited'];

/** What `--help` explains. */
interface Flags {
  readonly queue?: QueueBackEnd;
  readonly only?: readonly Scenario[];
  readonly windows: number;
  readonly seconds: number;
  readonly connections: number;
  readonly batchConnections: number;
  readonly batch: number;
  readonly stolenMax: number;
  readonly outstanding: number;
  readonly carrierWindow: number;
  readonly accounts: number;
  readonly webhooks: number;
  readonly dir: string;
  readonly database?: string;
  readonly minutes: number;
  readonly rate?: number;
  readonly messages: number;
  readonly json?: string;
  readonly verify: boolean;
  readonly smoke: boolean;
  readonly writeBaseline: boolean;
  /** The gateway that ours is compared with: one that runs already, or a Kannel of this run's own. */
  readonly against?: ForeignTarget;
  readonly againstKannel?: KannelStore;
  readonly simulatorPort: number;
}

/** How the bench is to be run. */
export interface BenchOptions extends Flags {
  readonly scenarios: readonly Scenario[];
  readonly windowMs: number;
  readonly warmupMs: number;
  /**
   * Messages, or reads, that every window and the first warm-up of each kind of load have to hold, if they can be had
   * in some seconds.
   */
  readonly messagesMin: { readonly firstWarmup: number; readonly counted: number };
  /** Windows of each figure at the start that are measured and not counted: code is slow until it is warm. */
  readonly discardedWindows: number;
  /** Cores; a window in which the machine's host took more is left out of medians. */
  readonly stolenCoresMax: number;
}

const EXAMPLES = `
Examples:
  npm run bench                                     ${USUAL.join(', ')}; on Redis when this machine has one
  npm run bench -- --queue postgres --json out.json
  npm run bench -- --only single,batch --windows 5
  npm run bench -- --only many                      one account against 100 and 1,000, in turns
  npm run bench -- --only neighbours                what one account does to the requests of 1,000 others
  npm run bench -- --only webhooks                  what is delivered with and without webhooks, and their events
  npm run bench -- --only traces                    what is accepted with and without traces
  npm run bench -- --only consoles                  what 1,000 open consoles cost the gateway
  npm run bench -- --only guards                    what is accepted without guards and with all of them
  npm run bench -- --only fairness                  other accounts beside a backlog of 100,000 messages
  npm run bench -- --only flat --seconds 5          against a filled database, see npm run bench:fill -- --help
  npm run bench -- --only filters,export            finding and exporting messages of that database
  npm run bench -- --only soak --minutes 20         memory of every process at half load
  npm run bench -- --only backlog                   the same while 1,000,000 messages wait
  npm run bench -- --against-kannel file            beside a Kannel that the bench starts
  npm run bench -- --simulator-port 2775 --against 'kannel+http://127.0.0.1:13013/cgi-bin/sendsms?username=u&password=p&dlr-mask=3'
  npm run bench -- --smoke                          does it run, and as fast as before? (for CI)
  npm run bench -- --write-baseline                 after a change that is meant to move it

What is measured, and where the clock starts and stops, is written down in docs/performance.md.`;

/** Reads the flags. `--help` and a wrong flag print what commander prints and end the process. */
export function parseCommandLine(argv: readonly string[]): BenchOptions {
  const flags = program()
    .parse([...argv], { from: 'user' })
    .opts<Flags>();
  const usual = (flags.against ?? flags.againstKannel) ? USUAL_AGAINST : USUAL;
  const smoke = flags.smoke || flags.writeBaseline;
  const all = {
    ...flags,
    smoke,
    windowMs: flags.seconds * 1_000,
    warmupMs: Math.min(3_000, flags.seconds * 1_000),
    messagesMin: { firstWarmup: 30_000, counted: 1 },
    discardedWindows: 0,
    stolenCoresMax: flags.stolenMax / 100,
    scenarios: flags.only ?? usual,
  };
  return smoke ? { ...all, ...SMOKE, scenarios: flags.only ?? SMOKE.scenarios } : all;
}

function secondsOf(value: string): number {
  const seconds = Number(value);
  if (!/^\d+(\.\d+)?$/.test(value) || seconds < 0.1 || seconds > 600) {
    throw new InvalidArgumentError('It must be a number from 0.1 to 600.');
  }
  return seconds;
}

function program(): Command {
  const command = new Command('npm run bench --').description(
    'Starts the real processes on free ports, loads them over HTTP, and prints what they do per second.',
  );
  return addSystemFlags(command)
    .option('--only <scenarios>', `comma-separated, of ${SCENARIOS.join(', ')}`, namesOf(SCENARIOS))
    .option('--windows <n>', 'windows of each figure', wholeNumber(1, 100), 3)
    .option('--seconds <n>', 'length of a window', secondsOf, 10)
    .option(
      '--stolen-max <percent>',
      "of one core: a window in which the machine's host took more is left out of medians",
      wholeNumber(0, 100_000),
      10,
    )
    .option('--connections <n>', 'of single sends and reads', wholeNumber(1, 1_000), 64)
    .option('--batch-connections <n>', 'of batches', wholeNumber(1, 100), 4)
    .option('--batch <n>', 'entries of a batch', wholeNumber(1, 1_000), 1_000)
    .option('--accounts <n>', 'where many send; fewer show only that the bench works', wholeNumber(1, 10_000), 1_000)
    .option('--webhooks <n>', 'accounts with a webhook each, in `webhooks`', wholeNumber(1, 10_000), 100)
    .option('--outstanding <n>', 'undelivered messages in the end-to-end load', wholeNumber(1, 100_000), 500)
    .option('--carrier-window <n>', 'unanswered submits on the carrier bind', wholeNumber(1, 1_000), 50)
    .option(
      '--database <url or folder>',
      'filled by bench:fill, for flat, filters and export; default: heliograph-filled in --dir',
    )
    .option('--minutes <n>', 'length of the soak', wholeNumber(1, 600), 20)
    .option('--rate <n>', 'messages a second of the soak; default: half of what it delivers', wholeNumber(1, 100_000))
    .option('--messages <n>', 'queued in the backlog', wholeNumber(1_000, 10_000_000), 1_000_000)
    .option('--no-verify', 'leaves out `smsctl ledger verify`, which takes minutes for millions of messages')
    .addOption(
      new Option(
        '--against <dialect+url>',
        'another gateway on this machine (kannel+http://... or jasmin+http://...), bound to our simulator',
      )
        .argParser(foreignTarget)
        .conflicts('againstKannel'),
    )
    .addOption(new Option('--against-kannel <store>', 'starts a Kannel for the comparison').choices([...KANNEL_STORES]))
    .option(
      '--simulator-port <n>',
      'where the other gateway finds our simulator; 0: a free port',
      wholeNumber(1, 65_535),
      0,
    )
    .option('--smoke', 'short windows, both queues: fails when a ratio is a third under the baseline', false)
    .option('--write-baseline', 'a smoke run whose ratios become the baseline', false)
    .addHelpText('after', EXAMPLES);
}

function foreignTarget(value: string): ForeignTarget {
  try {
    return readForeignTarget(value);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}
