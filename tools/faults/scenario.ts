import type { LinkName, QueueBackEnd } from '../harness/system.js';
import type { Field } from './field.js';
import type { ScenarioResult } from './result.js';

/** What a clean run of a scenario shows beyond what every run must show. */
export interface Expectations {
  /** Attempts whose outcome the client did not know, or that were refused; unset: as many as there are. */
  readonly clientErrorsMax?: number;
  /** Whether every end that was asked for with SIGTERM has to be an orderly one with code 0. */
  readonly orderlyEnds?: boolean;
}

/** What a run with a course of its own is told. */
export interface ConductOptions {
  readonly seed: number;
  /** Messages of a scenario about receipts. */
  readonly receipts: number;
}

/** One kind of fault, done again and again under load. */
export interface Scenario {
  readonly name: string;
  /** One line for --list. */
  readonly says: string;
  /** From what to what the recovery times run. */
  readonly recovery: string;
  /** Unset: either. */
  readonly queue?: QueueBackEnd;
  /** Whether Redis keeps its append-only file; unset: it does. */
  readonly redisIsDurable?: boolean;
  /** Whether Redis is a master and a replica under three Sentinels; unset: one server. */
  readonly redisHasSentinels?: boolean;
  /** Links that have to go through the harness. */
  readonly links?: readonly LinkName[];
  /** Settings of the service that this scenario changes; the report says so. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly simulatorFlags?: readonly string[];
  /** Unset: small, so that what a window excuses is little. */
  readonly carrierWindow?: number;
  /** Form of the carrier's message ids; unset: as-is. */
  readonly messageIdFormat?: 'as-is' | 'hex-dec' | 'dec-hex';
  /** The database lies in a file system of its own of this size; unset: on the disk of the run. */
  readonly diskMegabytes?: number;
  /** What it needs and does not have here, in a few words, where --from is this; unset or undefined: nothing. */
  readonly missing?: (earlierVersion: string | undefined) => string | undefined;
  /** Whether the service starts as the version of --from; unset: as this one. */
  readonly startsEarlier?: boolean;
  /** Faults when --rounds does not say. */
  readonly rounds: number;
  /** Shortest and longest pause before a fault. */
  readonly pauseMs: readonly [number, number];
  readonly expects?: Expectations;
  /** Does one fault and undoes it. What takes its time to recover is handed to the field, which waits for it at the end. */
  strike(field: Field, round: number): Promise<void>;
  /** When nothing moves any more: looks at what only this scenario cares for, complains, measures, excuses. */
  conclude?(field: Field): Promise<void>;
  /** For a scenario whose load and verdict are its own: the whole run, in place of everything above. */
  conduct?(
    run: ScenarioRun,
    options: ConductOptions,
    signal: AbortSignal,
    say: (line: string) => void,
  ): Promise<ScenarioResult>;
}

/** A scenario as it is to be run. */
export interface ScenarioRun {
  readonly scenario: Scenario;
  readonly queue: QueueBackEnd;
  readonly rounds: number;
  /** Holds what the run leaves behind; is made. */
  readonly dir: string;
  /** Folder of the version to start; undefined: this one. */
  readonly earlierVersion: string | undefined;
  /** Over those of the scenario. */
  readonly settings: Readonly<Record<string, string>>;
}
