import type { QueueBackEnd } from '../harness/queue.js';
import type { SystemOptions } from '../harness/system.js';
import type { Field } from './field.js';

/**
 * Flags of the simulator where a fault leaves submits in doubt. It answers so late that windows are rarely empty, and
 * its receipts name no `user_message_reference`, which would resolve the doubt and hide how many messages are doubled.
 */
export const IN_DOUBT_FLAGS: readonly string[] = ['--latency-ms', '50', '--no-echo-umr'];

/** One kind of fault, done again and again under load. */
export interface Scenario {
  readonly name: string;
  /** One line for --list. */
  readonly says: string;
  /** From what to what the recovery times run. */
  readonly recovery: string;
  /** Unset: either. */
  readonly queue?: QueueBackEnd;
  /** What its system has that others have not. */
  readonly system?: Pick<SystemOptions, 'redisIsDurable' | 'redisHasSentinels' | 'links' | 'hasHosts'>;
  /** Settings of the service that this scenario changes; the report says so. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly simulatorFlags?: readonly string[];
  /** Unset: small, so that what a window excuses is little. */
  readonly carrierWindow?: number;
  /** Form of the carrier's message ids; unset: as-is. */
  readonly messageIdFormat?: string;
  /** Whether the carrier sends receipts of all kinds, and its log says where they lead; unset: one for each segment. */
  readonly hasReceiptMix?: boolean;
  /** The database lies in a file system of its own of this size; unset: on the disk of the run. */
  readonly diskMegabytes?: number;
  /** What this machine or command line lacks for it, in a few words; unset or undefined: nothing. */
  readonly missing?: (earlierVersion: string | undefined) => string | undefined;
  /** Whether the service starts as the version of --from; unset: as this one. */
  readonly startsEarlier?: boolean;
  /** Faults when --rounds does not say. */
  readonly rounds: number;
  /** Shortest and longest pause before a fault; unset: 1 to 3 s. */
  readonly pauseMs?: readonly [number, number];
  /** Sends when --rate does not say; unset: as in every scenario. */
  readonly sendsPerSecond?: number;
  /** Attempts that clients may see refused or without an answer; unset: any number. */
  readonly clientErrorsMax?: number;
  /**
   * Does one fault and undoes it. It hands what takes its time to recover to the field, which waits for it at the end.
   */
  strike(field: Field, round: number): Promise<void>;
  /** When nothing moves any more: looks at what only this scenario cares for, complains, measures, excuses. */
  conclude?(field: Field): Promise<void>;
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
  /** Settings that are not at their defaults. */
  readonly settings: Readonly<Record<string, string>>;
  /** The flags that run it again, alone. */
  readonly again: string;
}
