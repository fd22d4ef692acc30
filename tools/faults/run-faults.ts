import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findRedisServer } from '../../scripts/redis/local-redis.js';
import type { QueueBackEnd } from '../harness/queue.js';
import type { FaultOptions } from './command-line.js';
import { figuresOf, violationLines } from './report-text.js';
import type { FaultReport, ScenarioResult } from './result.js';
import { runScenario } from './run-scenario.js';
import type { Scenario, ScenarioRun } from './scenario.js';
import { mixed, SCENARIOS } from './scenarios/index.js';

type Plan = Omit<ScenarioRun, 'dir' | 'again'>;

/** What is waited for on purpose is shortened, and a busy machine starves no process; nothing else differs. */
const SHORT_SETTINGS = {
  IN_DOUBT_WAIT_SECONDS: '3',
  CLAIM_LEASE_SECONDS: '4',
  SWEEP_AFTER_SECONDS: '5',
  GATEWAY_NICENESS: '0',
  WORKER_NICENESS: '0',
};
const SHORT_ROUNDS = { redis: 14, postgres: 5 };
const SHORT_NAMED_ROUNDS = 3;

/**
 * Runs the scenarios one after another, each on an empty database of its own.
 *
 * @param signal ends the run early; what was started is stopped all the same
 */
export async function runFaults(
  options: FaultOptions,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<FaultReport> {
  const plans = planRuns(options, say);
  const dir = mkdtempSync(join(options.dir, `heliograph-faults-${process.pid}-`));
  const results: ScenarioResult[] = [];
  let isClean = false;
  try {
    for (const [index, plan] of plans.entries()) {
      const { scenario, queue, rounds } = plan;
      say(`${scenario.name} on ${queue}, ${rounds} faults, seed ${options.seed} ...`);
      const run = { ...plan, dir: join(dir, `${index + 1}-${scenario.name}`), again: flagsOf(plan, options) };
      const result = await runScenario(run, options, signal, say);
      results.push(result);
      // At once: a run of all scenarios takes hours, and may be ended before its report.
      say(`${scenario.name}: ${figuresOf(result)}`);
      for (const line of violationLines(result, dir)) say(line);
    }
    isClean = results.every(({ violations }) => violations.length === 0);
  } finally {
    if (isClean && !options.keep) rmSync(dir, { recursive: true, force: true });
    else say(`kept: ${dir}`);
  }
  return {
    at: new Date().toISOString(),
    seed: options.seed,
    node: process.versions.node,
    results,
    dir: isClean && !options.keep ? undefined : dir,
  };
}

/**
 * @param say is told which scenarios a run of all leaves out, and why
 * @throws Error when a named scenario cannot run here
 */
export function planRuns(
  options: FaultOptions,
  say: (line: string) => void,
  hasRedis = findRedisServer() !== undefined,
): Plan[] {
  const { short, only } = options;
  const settings = short ? SHORT_SETTINGS : {};
  if (short && only === undefined) {
    const all: readonly QueueBackEnd[] = hasRedis ? ['redis', 'postgres'] : ['postgres'];
    return (options.queue === undefined ? all : [options.queue]).map((queue) => {
      const rounds = options.rounds ?? SHORT_ROUNDS[queue];
      return { scenario: mixed, queue, rounds, settings, earlierVersion: undefined };
    });
  }
  return (only ?? SCENARIOS).flatMap((scenario) => {
    const queue = options.queue ?? scenario.queue ?? (hasRedis ? 'redis' : 'postgres');
    const missing = scenario.missing?.(options.from) ?? missingQueue(scenario, queue, hasRedis);
    if (missing !== undefined && only !== undefined) throw new Error(`${scenario.name} needs ${missing}`);
    if (missing !== undefined) {
      say(`${scenario.name} is left out: it needs ${missing}`);
      return [];
    }
    const rounds = options.rounds ?? (short ? Math.min(SHORT_NAMED_ROUNDS, scenario.rounds) : scenario.rounds);
    const earlierVersion = scenario.startsEarlier === true ? options.from : undefined;
    return [{ scenario, queue, rounds, settings: { ...settings, ...scenario.settings }, earlierVersion }];
  });
}

/** What a command line has to say to run a scenario again, alone. */
export function flagsOf(
  { scenario, queue, rounds }: Plan,
  { seed, short, rate, receipts, from }: FaultOptions,
): string {
  return [
    `--only ${scenario.name} --queue ${queue} --seed ${seed} --rounds ${rounds}`,
    ...(short ? ['--short'] : []),
    ...(rate === undefined ? [] : [`--rate ${rate}`]),
    ...(scenario.hasReceiptMix ? [`--receipts ${receipts}`] : []),
    ...(scenario.startsEarlier ? [`--from ${from}`] : []),
  ].join(' ');
}

function missingQueue({ queue: wanted }: Scenario, queue: QueueBackEnd, hasRedis: boolean): string | undefined {
  if ((wanted ?? queue) !== queue) return `the queue on ${wanted}`;
  return queue === 'postgres' || hasRedis ? undefined : 'a redis-server or valkey-server on the PATH';
}
