import { mkdirSync } from 'node:fs';
import { Teardown } from '../../../scripts/supervisor/teardown.js';
import { awaitFact } from '../../harness/await-fact.js';
import type { System } from '../../harness/system.js';
import type { Violation } from '../check/evidence.js';
import type { ScenarioResult } from '../result.js';
import type { ConductOptions, ScenarioRun } from '../scenario.js';
import { settle } from '../settle.js';
import { startStage } from '../start-stage.js';
import { judgeReceipts } from './judge-receipts.js';
import { loadOracle, ORACLE_TABLES } from './load-oracle.js';
import { sendBatches } from './send-batches.js';

/** The latest receipt is late by this much more than an order waits for one. */
const RECEIPTS_TIMEOUT_MS = 15 * 60_000;

/** One run of the receipts: many messages, a carrier that receipts them as badly as carriers do, and every state compared. */
export async function conductReceipts(
  run: ScenarioRun,
  options: ConductOptions,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<ScenarioResult> {
  const { scenario, dir } = run;
  mkdirSync(dir, { mode: 0o711 });
  const teardown = new Teardown();
  try {
    const stage = await startStage(run, signal, teardown);
    const { system, facts } = stage;
    const database = await system.postgres.connect('heliograph-faults-oracle', '', 0);
    teardown.add(() => database.end());
    await database.query(ORACLE_TABLES);
    const began = Date.now();
    const load = await sendBatches(stage, database, options.receipts, options.seed, signal);
    say(`${scenario.name}: ${load.messages} messages accepted in ${secondsSince(began)} s`);
    const { counters } = await receiptsAreOut(system, signal);
    await settle(facts, signal);
    say(`${scenario.name}: settled after ${secondsSince(began)} s`);
    const oracle = await loadOracle(system.carrierLogFile, database);
    const violations = await judgeReceipts(database);
    const ledgerFault = await system.smsctl.run('ledger', 'verify').then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (ledgerFault !== undefined) {
      violations.push({ invariant: 'I5', says: 'smsctl ledger verify is not clean', lines: [ledgerFault] });
    }
    if (counters.receiptsDropped > 0) {
      const says = `the carrier gave up ${counters.receiptsDropped} receipts that were never acknowledged`;
      violations.push({ invariant: 'I9', says, lines: [] });
    }
    const { rows: states } = await database.query<{ state: string; count: number }>(STATES);
    const { rows: truths } = await database.query<{ truth: string; count: number }>(TRUTHS);
    const { rows: orphans } = await database.query<{ count: number }>(ORPHANS);
    return {
      ...nothingElse(run, violations),
      seconds: secondsSince(began),
      load,
      acknowledged: load.messages,
      lost: violations.filter(({ invariant }) => invariant === 'I1').length,
      states: Object.fromEntries(states.map(({ state, count }) => [state, count])),
      unaskedEnds: system.processes.flatMap(({ ends }) => ends).length,
      measures: [
        `${oracle.taken} segments, ${oracle.receipts} receipts sent, ${oracle.acknowledged} acknowledged`,
        `segments by the oracle: ${truths.map(({ truth, count }) => `${count} ${truth}`).join(', ')}`,
        `${orphans[0]?.count ?? 0} orphans`,
        `harness ${Math.round(process.memoryUsage().rss / 1_048_576)} MB`,
      ],
    };
  } finally {
    await teardown.run((error) => say(`while stopping: ${error instanceof Error ? error.message : error}`));
  }
}

/** Until the carrier has no receipt left, the late ones included. */
function receiptsAreOut(system: System, signal: AbortSignal) {
  return awaitFact('all receipts are acknowledged', RECEIPTS_TIMEOUT_MS, async () => {
    signal.throwIfAborted();
    const [row] = await system.postgres.query<{ open: boolean }>(UNSENT);
    if (row?.open !== false) return undefined;
    const state = await system.simulator.state();
    return state.pendingReceipts === 0 ? state : undefined;
  });
}

/** What a run without faults has nothing to say of. */
function nothingElse({ scenario, queue, settings, dir }: ScenarioRun, violations: readonly Violation[]) {
  return {
    scenario: scenario.name,
    queue,
    faults: 0,
    settings: { ...settings, ...scenario.settings },
    unknown: { attempts: 0, sends: 0, hadBeenAccepted: 0, acceptedLater: 0, refused: 0, open: 0 },
    refusedAttempts: 0,
    unreachedAttempts: 0,
    duplicates: 0,
    duplicatesMax: 0,
    drift: violations.some(({ invariant }) => invariant === 'I5' || invariant === 'I6') ? 'see below' : '0.000000',
    recovery: undefined,
    recoveryMeans: scenario.recovery,
    acceptLatency: { calmP99Ms: undefined, faultP99Ms: undefined },
    violations,
    dir,
  };
}

function secondsSince(ms: number): number {
  return Math.round((Date.now() - ms) / 1_000);
}

const UNSENT = `
  select exists (select from message_order where due_at is not null and state in ('queued', 'sending')) as open`;
const STATES = 'select state, count(*)::integer as count from message_order group by state order by 2 desc';
const TRUTHS = 'select truth, count(*)::integer as count from faults.taken group by truth order by 2 desc';
const ORPHANS = 'select count(*)::integer as count from faults.orphan';
