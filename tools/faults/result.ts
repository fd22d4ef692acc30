import { formatMicros } from '#billing';
import { countsOf, percentiles } from '../harness/statistics.js';
import { countDuplicates } from './check/delivery.js';
import type { Evidence, Violation } from './check/evidence.js';
import { Indexes } from './check/indexes.js';
import { driftOf } from './check/money.js';
import type { AwaitedAccept, Field } from './field.js';
import { acceptedAttempt, type FaultRecord, type History, type SendStory } from './history/history.js';
import type { LoadCounts } from './load/load-client.js';
import type { ScenarioRun } from './scenario.js';

/** What one scenario has to say. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly queue: string;
  readonly faults: number;
  /** Settings that were not at their defaults. */
  readonly settings: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly load: LoadCounts;
  /** Messages of sends that were answered as accepted. */
  readonly acknowledged: number;
  /** Attempts whose outcome the client did not know; sends that had one, and what became of them when asked again. */
  readonly unknown: {
    readonly attempts: number;
    readonly sends: number;
    /** The first time had been accepted: the repeat was a replay. */
    readonly hadBeenAccepted: number;
    /** The first time had not been accepted: the repeat was. */
    readonly acceptedLater: number;
    /** The repeat was refused: nothing was accepted, and nothing will be. */
    readonly refused: number;
    readonly open: number;
  };
  readonly refusedAttempts: number;
  readonly unreachedAttempts: number;
  /** Acknowledged messages that no order stands for. */
  readonly lost: number;
  readonly duplicates: number;
  readonly duplicatesMax: number;
  /** Of all accounts, with six decimals. */
  readonly drift: string;
  readonly recovery: RecoveryTimes | undefined;
  readonly recoveryMeans: string;
  /** How long accepted attempts took, while something was spoilt and while nothing was. */
  readonly acceptLatency: AcceptLatency;
  /** What this scenario measured beside that, in words. */
  readonly measures: readonly string[];
  /** Times a process ended without being asked to. */
  readonly unaskedEnds: number;
  readonly states: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  readonly dir: string;
}

export interface FaultReport {
  readonly at: string;
  readonly seed: number;
  readonly node: string;
  readonly results: readonly ScenarioResult[];
  /** Where everything lies that the run left behind; undefined when it was removed. */
  readonly dir: string | undefined;
}

export function resultOf(
  run: ScenarioRun,
  field: Field,
  counts: LoadCounts,
  evidence: Evidence,
  violations: readonly Violation[],
): ScenarioResult {
  const indexes = new Indexes(evidence);
  const { scenario, queue, settings, dir } = run;
  const stories = [...evidence.history.sends.values()];
  const attempts = stories.flatMap((story) => story.attempts);
  const outcomes = countsOf(attempts.map(({ outcome }) => outcome));
  const doubtful = stories.filter((story) => story.attempts.some(({ outcome }) => outcome === 'unknown'));
  const ends = countsOf(doubtful.map(endOf));
  const names = stories.filter(acceptedAttempt).flatMap(({ sent }) => sent.messages.map(({ name }) => name));
  const times = [...field.recoveriesMs, ...timesToAccept(evidence.history, field.awaitedAccepts)];
  return {
    scenario: scenario.name,
    queue,
    faults: field.faults,
    settings,
    seconds: field.seconds,
    load: counts,
    acknowledged: names.length,
    unknown: {
      attempts: outcomes.unknown ?? 0,
      sends: doubtful.length,
      hadBeenAccepted: ends.hadBeenAccepted ?? 0,
      acceptedLater: ends.acceptedLater ?? 0,
      refused: ends.refused ?? 0,
      open: ends.open ?? 0,
    },
    refusedAttempts: outcomes.refused ?? 0,
    unreachedAttempts: outcomes.unreached ?? 0,
    lost: names.filter((name) => !indexes.ordersByName.has(name)).length,
    duplicates: countDuplicates(indexes),
    duplicatesMax: field.duplicatesAllowed,
    drift: sixDecimals(driftOf(indexes)),
    recovery: recoveryTimes(times),
    recoveryMeans: scenario.recovery,
    acceptLatency: acceptLatency(evidence.history),
    measures: field.measures,
    unaskedEnds: field.system.processes.reduce((sum, { unaskedEnds }) => sum + unaskedEnds, 0),
    states: countsOf(evidence.orders.map(({ state }) => state)),
    violations,
    dir,
  };
}

/** What became of a send without an answer at first when it was repeated. */
function endOf(story: SendStory): 'hadBeenAccepted' | 'acceptedLater' | 'refused' | 'open' {
  const accepted = acceptedAttempt(story);
  if (accepted !== undefined) return accepted.isReplay === true ? 'hadBeenAccepted' : 'acceptedLater';
  return story.attempts.at(-1)?.outcome === 'refused' ? 'refused' : 'open';
}

/** As the ledger prints it when nothing is cut off. */
function sixDecimals(micros: bigint): string {
  const [whole = '0', decimals = ''] = formatMicros(micros).split('.');
  return `${whole}.${decimals.padEnd(6, '0')}`;
}

interface RecoveryTimes {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Undefined when nothing had to recover. */
function recoveryTimes(measuredMs: readonly number[]): RecoveryTimes | undefined {
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

interface AcceptLatency {
  /** Of attempts that were accepted at once and began while nothing was spoilt; undefined when there were none. */
  readonly calmP99Ms: number | undefined;
  /** Of those that began while something was: between a fault and its end. */
  readonly faultP99Ms: number | undefined;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Whether clients felt a fault. A fault that is over at once, as a kill is, has no span. */
export function acceptLatency({ sends, faults }: History): AcceptLatency {
  const spans = spansOf(faults);
  const calm: number[] = [];
  const during: number[] = [];
  for (const { attempts } of sends.values()) {
    for (const { outcome, isReplay, atMs, endedAtMs } of attempts) {
      if (outcome !== 'ok' || isReplay === true) continue;
      const isDuring = spans.some(({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs);
      (isDuring ? during : calm).push(endedAtMs - atMs);
    }
  }
  return { calmP99Ms: p99(calm), faultP99Ms: p99(during) };
}

function spansOf(faults: readonly FaultRecord[]): Span[] {
  const spans: Span[] = [];
  const open = new Map<string, number>();
  for (const { kind, fault, atMs } of faults) {
    const fromMs = open.get(fault);
    if (kind === 'fault') open.set(fault, atMs);
    else if (fromMs !== undefined) {
      open.delete(fault);
      spans.push({ fromMs, toMs: atMs });
    }
  }
  return spans;
}

function p99(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : percentiles(values).p99Ms;
}
