import { formatMicros } from '#billing';
import { countsOf, percentiles } from '../harness/statistics.js';
import { countDuplicates } from './check/delivery.js';
import type { Evidence, Violation } from './check/evidence.js';
import { Indexes } from './check/indexes.js';
import { driftOf } from './check/money.js';
import type { AwaitedAccept, Field } from './field.js';
import { acceptedAttempt, type FaultRecord, type History, type SendStory } from './history/history.js';
import type { ScenarioRun } from './scenario.js';

/** What one scenario has to say. */
export type ScenarioResult = ReturnType<typeof resultOf>;

export interface FaultReport {
  readonly at: string;
  readonly seed: number;
  readonly node: string;
  readonly results: readonly ScenarioResult[];
  /** Where everything lies that the run left behind; undefined when it was removed. */
  readonly dir: string | undefined;
}

export function resultOf(
  { scenario, queue, settings, dir, again }: ScenarioRun,
  field: Field,
  evidence: Evidence,
  violations: readonly Violation[],
) {
  const { history, orders } = evidence;
  const indexes = new Indexes(evidence);
  const stories = [...history.sends.values()];
  const attempts = stories.flatMap((story) => story.attempts);
  const outcomes = countsOf(attempts.map(({ outcome }) => outcome));
  const doubtful = stories.filter((story) => story.attempts.some(({ outcome }) => outcome === 'unknown'));
  const ends = countsOf(doubtful.map(endOf));
  const accepted = stories.filter(acceptedAttempt);
  const acknowledged = accepted.flatMap(({ sent }) => sent.messages.map(({ name }) => name));
  return {
    scenario: scenario.name,
    queue,
    faults: field.faults,
    /** That were not at their defaults. */
    settings,
    seconds: field.seconds,
    load: {
      sends: stories.length,
      messages: stories.reduce((sum, { sent }) => sum + sent.messages.length, 0),
      attempts: attempts.length,
      accepted: accepted.length,
      unresolved: stories.length - accepted.length,
    },
    /** Messages of sends that were answered as accepted. */
    acknowledged: acknowledged.length,
    /** Attempts whose outcome the client did not know; sends that had one, and what became of them when asked again. */
    unknown: {
      attempts: outcomes.unknown ?? 0,
      sends: doubtful.length,
      hadBeenAccepted: ends.hadBeenAccepted ?? 0,
      acceptedLater: ends.acceptedLater ?? 0,
      refused: ends.refused ?? 0,
      open: ends.open ?? 0,
    },
    refusedAttempts: outcomes.refused ?? 0,
    /** Without a connection. */
    unreachedAttempts: outcomes.unreached ?? 0,
    /** Acknowledged messages that no order stands for. */
    lost: acknowledged.filter((name) => !indexes.ordersByName.has(name)).length,
    duplicates: countDuplicates(indexes),
    duplicatesMax: field.duplicatesMax,
    /** Of all accounts. */
    drift: sixDecimals(driftOf(indexes)),
    recovery: recoveryTimes([...field.recoveriesMs, ...timesToAccept(history, field.awaitedAccepts)]),
    recoveryMeans: scenario.recovery,
    acceptLatency: acceptLatency(history),
    /** What this scenario measured beside that, in words. */
    measures: field.measures,
    /** Times a process ended without being asked to. */
    unaskedEnds: field.system.processes.reduce((sum, { unaskedEnds }) => sum + unaskedEnds, 0),
    states: countsOf(orders.map(({ state }) => state)),
    violations,
    again,
    dir,
  };
}

/** What became of a send without an answer at first when it was repeated. */
function endOf(story: SendStory): 'hadBeenAccepted' | 'acceptedLater' | 'refused' | 'open' {
  const accepted = acceptedAttempt(story);
  // A replay says that the first time had been accepted.
  if (accepted !== undefined) return accepted.isReplay === true ? 'hadBeenAccepted' : 'acceptedLater';
  // Refused at last: nothing was accepted, and nothing will be.
  return story.attempts.at(-1)?.outcome === 'refused' ? 'refused' : 'open';
}

/** As the ledger prints it when nothing is cut off. */
function sixDecimals(micros: bigint): string {
  const [whole = '0', decimals = ''] = formatMicros(micros).split('.');
  return `${whole}.${decimals.padEnd(6, '0')}`;
}

/** Undefined when nothing had to recover. */
function recoveryTimes(measuredMs: readonly number[]) {
  if (measuredMs.length === 0) return undefined;
  const { p50Ms, p99Ms } = percentiles(measuredMs);
  return { count: measuredMs.length, p50Ms, p99Ms, maxMs: Math.max(...measuredMs) };
}

/**
 * From each moment to the end of the first attempt that was made and accepted after it. Where the load ended before one
 * was, nothing is counted: a lower bound would look like a time.
 */
export function timesToAccept(history: History, awaited: readonly AwaitedAccept[]): number[] {
  const accepted = [...history.sends.values()].flatMap(({ sent, attempts }) =>
    attempts.filter(({ outcome }) => outcome === 'ok').map((attempt) => ({ attempt, account: sent.account })),
  );
  accepted.sort((a, b) => a.attempt.endedAtMs - b.attempt.endedAtMs);
  return awaited.flatMap(({ fromMs, gateway, account }) => {
    const first = accepted.find(
      (one) =>
        one.attempt.atMs >= fromMs &&
        (gateway === undefined || one.attempt.gateway === gateway) &&
        (account === undefined || one.account === account),
    );
    return first === undefined ? [] : [first.attempt.endedAtMs - fromMs];
  });
}

/**
 * Whether clients felt a fault: of attempts that were accepted at once, those that began between a fault and its end,
 * and the others. A fault that is over at once, as a kill is, has no span.
 */
export function acceptLatency({ sends, faults }: History) {
  const spans = spansOf(faults);
  const calm: number[] = [];
  const during: number[] = [];
  for (const { attempts } of sends.values()) {
    for (const { outcome, isReplay, atMs, endedAtMs } of attempts) {
      if (outcome !== 'ok' || isReplay === true) continue;
      const isDuring = spans.some(([fromMs, toMs]) => atMs >= fromMs && atMs <= toMs);
      (isDuring ? during : calm).push(endedAtMs - atMs);
    }
  }
  return { calmP99Ms: p99(calm), faultP99Ms: p99(during) };
}

function spansOf(faults: readonly FaultRecord[]): [fromMs: number, toMs: number][] {
  const spans: [number, number][] = [];
  const open = new Map<string, number>();
  for (const { kind, fault, atMs } of faults) {
    const fromMs = open.get(fault);
    if (kind === 'fault') open.set(fault, atMs);
    else if (fromMs !== undefined) {
      open.delete(fault);
      spans.push([fromMs, atMs]);
    }
  }
  return spans;
}

function p99(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : percentiles(values).p99Ms;
}
