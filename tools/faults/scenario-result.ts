import type { AcceptLatency } from './accept-latency.js';
import type { Violation } from './check/evidence.js';
import type { LoadCounts } from './load/job.js';
import type { RecoveryTimes } from './recovery-times.js';

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
