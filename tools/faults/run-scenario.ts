import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Teardown } from '../../scripts/supervisor/teardown.js';
import { awaitFact } from '../harness/await-fact.js';
import { Child } from '../harness/child.js';
import { SeededRandom } from '../harness/seeded-random.js';
import { check } from './check/checker.js';
import type { Violation } from './check/evidence.js';
import { gatherEvidence } from './check/gather-evidence.js';
import { type FaultOptions, SENDS_PER_SECOND, SHORT_SENDS_PER_SECOND } from './command-line.js';
import { Field } from './field.js';
import type { Load } from './load/main.js';
import { resultOf, type ScenarioResult } from './result.js';
import type { ScenarioRun } from './scenario.js';
import { settleEvents, settleOrders } from './settle.js';
import { startStage } from './start-stage.js';

/** Before a fault. */
const PAUSE_MS = [1_000, 3_000] as const;
const FLOWING_TIMEOUT_MS = 30_000;
/** Load before the first fault and after the last one. */
const CALM_MS = 1_500;
/** Dispatch keeps up with the load when no message waits for longer. */
const KEEPS_UP_MS = 500;
const KEEPS_UP_TIMEOUT_MS = { usual: 20_000, short: 5_000 };
/** By how much the pauses between faults are shorter in the short form. */
const SHORT_PAUSES = 2;
const RESOLVE_MS = 60_000;
const SLACK_MS = 30_000;

/** Runs one scenario from an empty database to the verdict. Everything that was started is ended. */
export async function runScenario(
  run: ScenarioRun,
  options: FaultOptions,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<ScenarioResult> {
  const { scenario, rounds, dir } = run;
  const { pauseMs = PAUSE_MS, clientErrorsMax, hasReceiptMix } = scenario;
  mkdirSync(dir, { mode: 0o711 });
  const teardown = new Teardown();
  const usualRate = options.short ? SHORT_SENDS_PER_SECOND : SENDS_PER_SECOND;
  const historyFile = join(dir, 'history.jsonl');
  const faultFile = join(dir, 'faults.jsonl');
  writeFileSync(faultFile, '');
  try {
    const stage = await startStage(run, signal, teardown);
    const { system, accounts } = stage;
    const load = new Child<Load>(new URL('./load/main.js', import.meta.url));
    teardown.add(() => load.close());
    const random = SeededRandom.of(options.seed, scenario.name);
    const field = new Field(stage, random, signal, options.short, options.receipts, faultFile);
    await load.ask('start', FLOWING_TIMEOUT_MS, {
      seed: options.seed,
      sendsPerSecond: options.rate ?? scenario.sendsPerSecond ?? usualRate,
      ports: system.gatewayPorts,
      accounts,
      hasWishes: run.earlierVersion === undefined,
      historyFile,
    });
    await field.pause(CALM_MS);
    if (!(await keepsUp(field))) say(`${scenario.name}: the load is more than this machine dispatches`);
    for (let round = 0; round < rounds; round += 1) {
      await field.pause(random.between(...pauseMs) / (options.short ? SHORT_PAUSES : 1));
      await scenario.strike(field, round);
      if ((round + 1) % 20 === 0) say(`${scenario.name}: ${round + 1} of ${rounds} faults`);
    }
    await field.pause(CALM_MS);
    // What takes long to recover is seen under load; what a client still asks for is asked again.
    await load.ask('finish', RESOLVE_MS + SLACK_MS, RESOLVE_MS);
    await field.recovered();
    // One process does the work of both, so no message shows one that has not come back.
    await Promise.all(system.processes.map((one) => one.ready(signal).catch((error: Error) => field.complain(error))));
    await settleOrders(stage.facts, signal);
    await scenario.conclude?.(field);
    // At last, because a scenario may wait for late receipts, which make events.
    if (stage.events !== undefined) await settleEvents(stage.facts, stage.events, signal);
    const evidence = await gatherEvidence(stage, [historyFile, faultFile], field.deposits);
    const { duplicatesMax, refusedFor, clockAheadMs } = field;
    const violations: Violation[] = [
      ...check(evidence, { duplicatesMax, clientErrorsMax, refusedFor, clockAheadMs, hasReceiptMix }),
      ...field.complaints.map((says) => ({ invariant: 'fault', says, lines: [] })),
    ];
    return resultOf(run, field, evidence, violations);
  } finally {
    await teardown.run((error) => say(`while stopping: ${error instanceof Error ? error.message : error}`));
  }
}

/** Processes that have just started are slow: until they keep up with the load, a time of recovery would be theirs. */
async function keepsUp({ facts, signal, isShort }: Field): Promise<boolean> {
  const timeoutMs = isShort ? KEEPS_UP_TIMEOUT_MS.short : KEEPS_UP_TIMEOUT_MS.usual;
  const doTheyNow = async () => !(await facts.isWaitingSince(Date.now() - KEEPS_UP_MS));
  try {
    return await awaitFact('dispatch keeps up', timeoutMs, signal, doTheyNow);
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
