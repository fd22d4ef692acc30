import type { LookupFunction } from 'node:net';
import type { SubmitOutcome } from '../carrier.js';
import type { CarrierLog } from '../carrier-log.js';
import type { DeliveryDependencies } from './deliveries.js';
import type { SubmitStatuses } from './error-codes.js';
import { COMMAND } from './pdu.js';
import type { CompleteSettings } from './settings.js';

export const BIND_COMMANDS = {
  transceiver: COMMAND.bindTransceiver,
  transmitter: COMMAND.bindTransmitter,
  receiver: COMMAND.bindReceiver,
} as const;

export type BindRole = keyof typeof BIND_COMMANDS;

/** Why a session ended. `needsOperator` marks refusals that no retry repairs, such as a wrong password. */
export interface SessionEnd {
  readonly reason: string;
  readonly needsOperator: boolean;
}

export interface SessionDependencies extends DeliveryDependencies {
  readonly settings: CompleteSettings;
  readonly role: BindRole;
  readonly statuses: SubmitStatuses;
  /** Where the carrier's host is looked up. */
  readonly lookup: LookupFunction;
  readonly log: CarrierLog;
  onBound(): void;
  /** Called once, at the end of the session; every pending submit has its outcome by then. */
  onEnd(end: SessionEnd): void;
  onOutcome(outcome: SubmitOutcome, submittedAtMs: number): void;
  /** Called when responses were read or deadlines passed: slots may have become free. */
  onProgress(): void;
  readonly onLateResponse?: (() => void) | undefined;
}
