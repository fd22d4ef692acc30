import type { LookupFunction } from 'node:net';
import type { DeliveryKind, ReceiptSink, SubmitOutcome } from '../carrier.js';
import type { CarrierLog } from '../carrier-log.js';
import type { InboundSink } from '../inbound.js';
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

export interface SessionDependencies {
  readonly settings: CompleteSettings;
  readonly role: BindRole;
  readonly onReceipt: ReceiptSink;
  readonly onInbound: InboundSink;
  readonly onDelivery?: ((kind: DeliveryKind) => void) | undefined;
  readonly statuses: SubmitStatuses;
  /** Where the carrier's host is looked up. */
  readonly lookup: LookupFunction;
  readonly log: CarrierLog;
  /** For lines that a carrier can cause in any number. */
  readonly sparseLog: CarrierLog;
  readonly now: () => number;
  onBound(): void;
  /** Called once, at the end of the session; every pending submit has its outcome by then. */
  onEnd(end: SessionEnd): void;
  /** Called once for each submit with its outcome, before its promise resolves. */
  onOutcome(outcome: SubmitOutcome, submittedAtMs: number): void;
  /** Called when PDUs were read. */
  onProgress(): void;
}
