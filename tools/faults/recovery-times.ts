import { percentile } from '../bench/statistics.js';
import type { AwaitedAccept } from './field.js';
import type { History } from './history/history.js';

export interface RecoveryTimes {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Undefined when nothing had to recover. */
export function recoveryTimes(measuredMs: readonly number[]): RecoveryTimes | undefined {
  if (measuredMs.length === 0) return undefined;
  const sorted = [...measuredMs].sort((a, b) => a - b);
  return {
    count: sorted.length,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    maxMs: percentile(sorted, 1),
  };
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
