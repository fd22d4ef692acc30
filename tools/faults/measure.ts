import { formatMicros } from '#billing';
import { countDuplicates } from './check/delivery.js';
import type { Evidence, Violation } from './check/evidence.js';
import { Indexes } from './check/indexes.js';
import { driftOf } from './check/money.js';
import type { Field } from './field.js';
import type { LoadCounts } from './load/load-client.js';
import { acceptLatency, recoveryTimes, type ScenarioResult, timesToAccept } from './result.js';
import type { ScenarioRun } from './scenario.js';

interface Findings {
  readonly run: ScenarioRun;
  readonly settings: Readonly<Record<string, string>>;
  readonly field: Field;
  readonly counts: LoadCounts;
  readonly evidence: Evidence;
  readonly violations: readonly Violation[];
}

export function measure({ run, settings, field, counts, evidence, violations }: Findings): ScenarioResult {
  const indexes = new Indexes(evidence);
  const { scenario, queue, dir } = run;
  const stories = [...evidence.history.sends.values()];
  const attempts = stories.flatMap((story) => story.attempts);
  const doubtful = stories.filter((story) => story.attempts.some(({ outcome }) => outcome === 'unknown'));
  const answers = doubtful.map(({ attempts }) => attempts.find(({ outcome }) => outcome === 'ok') ?? attempts.at(-1));
  const acknowledged = stories.filter((story) => story.attempts.some(({ outcome }) => outcome === 'ok'));
  const names = acknowledged.flatMap(({ sent }) => sent.messages.map(({ name }) => name));
  const times = [...field.recoveriesMs, ...timesToAccept(evidence.history, field.awaitedAccepts)];
  const states: Record<string, number> = {};
  for (const { state } of evidence.orders) states[state] = (states[state] ?? 0) + 1;
  return {
    scenario: scenario.name,
    queue,
    faults: field.faults,
    settings,
    seconds: field.seconds,
    load: counts,
    acknowledged: names.length,
    unknown: {
      attempts: attempts.filter(({ outcome }) => outcome === 'unknown').length,
      sends: doubtful.length,
      hadBeenAccepted: answers.filter((answer) => answer?.outcome === 'ok' && answer.isReplay === true).length,
      acceptedLater: answers.filter((answer) => answer?.outcome === 'ok' && answer.isReplay !== true).length,
      refused: answers.filter((answer) => answer?.outcome === 'refused').length,
      open: answers.filter((answer) => answer?.outcome !== 'ok' && answer?.outcome !== 'refused').length,
    },
    refusedAttempts: attempts.filter(({ outcome }) => outcome === 'refused').length,
    unreachedAttempts: attempts.filter(({ outcome }) => outcome === 'unreached').length,
    lost: names.filter((name) => !indexes.ordersByName.has(name)).length,
    duplicates: countDuplicates(indexes),
    duplicatesMax: field.duplicatesAllowed,
    drift: sixDecimals(driftOf(indexes)),
    recovery: recoveryTimes(times),
    recoveryMeans: scenario.recovery,
    acceptLatency: acceptLatency(evidence.history),
    measures: field.measures,
    unaskedEnds: field.system.processes.flatMap(({ ends }) => ends).filter(({ wasAsked }) => !wasAsked).length,
    states,
    violations,
    dir,
  };
}

/** As the ledger prints it when nothing is cut off. */
function sixDecimals(micros: bigint): string {
  const [whole = '0', decimals = ''] = formatMicros(micros).split('.');
  return `${whole}.${decimals.padEnd(6, '0')}`;
}
