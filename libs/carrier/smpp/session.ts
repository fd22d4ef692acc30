import type { OutboundSegment, SubmitOutcome } from '../carrier.js';
import { UnencodableTextError } from './alphabet.js';
import type { CarrierLog } from './carrier-log.js';
import { Connection } from './connection.js';
import { untilZero } from './deliver-sm.js';
import type { Deliveries } from './deliveries.js';
import { storedMessageId } from './message-id.js';
import { COMMAND, cStrings, encodePdu, nextSequence, type Pdu, RESPONSE } from './pdu.js';
import { type PendingSubmit, PendingSubmits, unansweredOutcome } from './pending-submits.js';
import type { CompleteSettings } from './settings.js';
import { classifyStatus, isCredentialRefusal, STATUS, statusName } from './smpp-status.js';
import type { SubmitEncoder } from './submit-sm.js';

const INTERFACE_VERSION = 0x34;
const TIMEOUTS_IN_A_ROW_MAX = 3;
/** Receipts that may wait for the sink; past it nothing more is read, which the carrier feels as a full socket. */
const RECEIPTS_OUTSTANDING_MAX = 1_000;
const BIND_COMMANDS = {
  transceiver: COMMAND.bindTransceiver,
  transmitter: COMMAND.bindTransmitter,
  receiver: COMMAND.bindReceiver,
} as const;

export type BindRole = keyof typeof BIND_COMMANDS;

/** Why a session ended. `needsOperator` marks refusals that no retry mends, such as a wrong password. */
export interface SessionEnd {
  readonly reason: string;
  readonly needsOperator: boolean;
}

export interface SessionDependencies {
  readonly settings: CompleteSettings;
  readonly role: BindRole;
  readonly encoder: SubmitEncoder;
  readonly deliveries: Deliveries;
  readonly log: CarrierLog;
  readonly now: () => number;
  onBound(): void;
  /** Once, when nothing more can be expected of this session; every pending submit is settled by then. */
  onEnd(end: SessionEnd): void;
  onOutcome(outcome: SubmitOutcome, submittedAtMs: number): void;
  /** Responses were read or deadlines passed: slots may have become free. */
  onProgress(): void;
  onLateResponse(): void;
}

type Phase = 'connecting' | 'binding' | 'bound' | 'unbinding' | 'ended';

/** One bind from connect to close; a new one is made for every attempt. Deadlines are kept by `tick`. */
export class SmppSession {
  readonly pending = new PendingSubmits();
  /** Window slots that are taken, whether or not their submit is written yet. */
  slotsInUse = 0;
  private readonly connection: Connection;
  private readonly settings: CompleteSettings;
  private phase: Phase = 'connecting';
  private phaseSinceMs: number;
  private sequence = 0;
  private heardAtMs: number;
  private enquiredAtMs: number | undefined;
  private timeoutsInARow = 0;

  constructor(private readonly dependencies: SessionDependencies) {
    this.settings = dependencies.settings;
    this.phaseSinceMs = dependencies.now();
    this.heardAtMs = this.phaseSinceMs;
    this.connection = new Connection(this.settings, {
      connected: () => this.bind(),
      pdu: (pdu) => this.receive(pdu),
      chunkEnd: () => dependencies.onProgress(),
      failed: (reason) => this.end(reason),
    });
  }

  get isBound(): boolean {
    return this.phase === 'bound';
  }

  /** Writes one submit_sm. Never rejects; `onOutcome` has run before the promise resolves. */
  submit(segment: OutboundSegment): Promise<SubmitOutcome> {
    const submittedAtMs = this.dependencies.now();
    if (!this.isBound) return this.settled({ kind: 'not-sent', code: 'BIND_DOWN' }, submittedAtMs);
    const sequence = this.takeSequence();
    let bytes: Buffer;
    try {
      bytes = this.dependencies.encoder.encode(segment, sequence);
    } catch (error) {
      if (!(error instanceof UnencodableTextError)) throw error;
      return this.settled({ kind: 'refused', code: 'UNENCODABLE' }, submittedAtMs);
    }
    return new Promise((settle) => {
      const pending = { sequence, submittedAtMs, settle, bytes, written: false };
      this.pending.add(pending);
      this.connection.send(pending);
    });
  }

  /** Keeps every deadline of this session; to be called often, against the shortest of the timeouts. */
  tick(nowMs: number): void {
    // While reading is held back, nothing can be heard and nobody is to blame for it.
    if (this.dependencies.deliveries.outstanding >= RECEIPTS_OUTSTANDING_MAX) this.heardAtMs = nowMs;
    this.expireSubmits(nowMs);
    const phaseMs = nowMs - this.phaseSinceMs;
    if (this.phase === 'connecting') {
      if (phaseMs >= this.settings.connectTimeoutMs) this.end('connect timeout');
    } else if (this.phase === 'binding') {
      if (phaseMs >= this.settings.responseTimeoutMs) this.end('no answer to the bind');
    } else if (this.phase === 'bound') {
      this.keepAlive(nowMs);
    }
  }

  /** Asks the carrier to let go; the session ends when it answers. */
  unbind(): void {
    if (this.phase === 'bound') {
      this.enter('unbinding');
      this.connection.sendBytes(encodePdu(COMMAND.unbind, 0, this.takeSequence()));
    } else {
      this.end('closed');
    }
  }

  /** Ends the session: what was written and not answered is in doubt, what was not written is not sent. */
  end(reason: string, how: { readonly needsOperator?: boolean; readonly politely?: boolean } = {}): void {
    if (this.phase === 'ended') return;
    this.enter('ended');
    this.settleUnanswered(this.pending.takeAll(), 'BIND_LOST');
    if (how.politely) this.connection.finish();
    else this.connection.destroy();
    this.dependencies.onEnd({ reason, needsOperator: how.needsOperator ?? false });
  }

  private bind(): void {
    this.enter('binding');
    const { systemId, password, systemType } = this.settings;
    // addr_ton, addr_npi and an empty address_range: whatever the account is allowed to receive.
    const body = Buffer.concat([cStrings(systemId, password, systemType), Buffer.from([INTERFACE_VERSION, 0, 0, 0])]);
    this.connection.sendBytes(encodePdu(BIND_COMMANDS[this.dependencies.role], 0, this.takeSequence(), body));
  }

  private receive(pdu: Pdu): void {
    if (this.phase === 'ended') return;
    this.heardAtMs = this.dependencies.now();
    this.enquiredAtMs = undefined;
    switch (pdu.command) {
      case COMMAND.submitSm + RESPONSE:
        this.settleSubmit(pdu);
        break;
      case COMMAND.deliverSm:
        this.receiveDelivery(pdu);
        break;
      case COMMAND.enquireLink:
        this.respond(pdu, STATUS.ok);
        break;
      case BIND_COMMANDS[this.dependencies.role] + RESPONSE:
        this.receiveBindResponse(pdu.status);
        break;
      case COMMAND.genericNack:
        this.receiveNack(pdu);
        break;
      case COMMAND.unbind:
        this.respond(pdu, STATUS.ok);
        this.end('the carrier unbound', { politely: true });
        break;
      case COMMAND.unbind + RESPONSE:
        this.end('closed', { politely: true });
        break;
      case COMMAND.alertNotification:
      case COMMAND.outbind:
        break; // Neither has a response (SMPP 3.4 sections 4.12.1 and 4.1.7).
      default:
        if (pdu.command < RESPONSE) {
          this.connection.sendBytes(encodePdu(COMMAND.genericNack, STATUS.invalidCommandId, pdu.sequence));
        }
    }
  }

  private receiveBindResponse(status: number): void {
    if (this.phase !== 'binding') return;
    if (status === STATUS.ok) {
      this.enter('bound');
      this.dependencies.onBound();
    } else {
      const needsOperator = isCredentialRefusal(status);
      this.end(`the bind was refused: ${statusName(status)}`, { needsOperator, politely: true });
    }
  }

  private settleSubmit(pdu: Pdu): void {
    const pending = this.pending.take(pdu.sequence);
    if (pending === undefined) {
      const fields = { carrier: this.settings.name, status: statusName(pdu.status) };
      this.dependencies.log.warn(fields, 'a submit was answered after its deadline');
      this.dependencies.onLateResponse();
      return;
    }
    this.timeoutsInARow = 0;
    const outcome: SubmitOutcome =
      pdu.status === STATUS.ok
        ? { kind: 'accepted', carrierMessageId: storedMessageId(untilZero(pdu.body)) }
        : classifyStatus(pdu.status);
    this.dependencies.onOutcome(outcome, pending.submittedAtMs);
    pending.settle(outcome);
    // The carrier says that this bind may not submit: only a new one can.
    if (pdu.status === STATUS.invalidBindStatus) this.end('the carrier no longer takes this bind for one');
  }

  private receiveNack(pdu: Pdu): void {
    const status = statusName(pdu.status);
    if (this.pending.has(pdu.sequence)) this.settleSubmit(pdu);
    else if (this.phase === 'binding') this.end(`the bind was refused: ${status}`);
    else if (this.phase === 'unbinding') this.end('closed');
    else this.dependencies.log.warn({ carrier: this.settings.name, status }, 'generic_nack');
  }

  private receiveDelivery(pdu: Pdu): void {
    const { deliveries } = this.dependencies;
    const { sequence } = pdu;
    deliveries.receive(pdu.body, (status) => {
      if (this.phase === 'ended') return;
      this.connection.sendBytes(encodePdu(COMMAND.deliverSm + RESPONSE, status, sequence, EMPTY_MESSAGE_ID));
      if (deliveries.outstanding === RECEIPTS_OUTSTANDING_MAX - 1) this.connection.resumeReading();
    });
    if (deliveries.outstanding >= RECEIPTS_OUTSTANDING_MAX) this.connection.pauseReading();
  }

  private expireSubmits(nowMs: number): void {
    const expired = this.pending.takeExpired(nowMs - this.settings.responseTimeoutMs);
    if (expired.length === 0) return;
    this.settleUnanswered(expired, 'RESPONSE_TIMEOUT');
    this.timeoutsInARow += expired.length;
    if (this.timeoutsInARow >= TIMEOUTS_IN_A_ROW_MAX) {
      this.end(`no answer to ${this.timeoutsInARow} submits in a row`);
    } else {
      this.dependencies.onProgress();
    }
  }

  private keepAlive(nowMs: number): void {
    if (this.enquiredAtMs !== undefined) {
      if (nowMs - this.enquiredAtMs >= this.settings.enquireLinkTimeoutMs) this.end('no answer to enquire_link');
    } else if (nowMs - this.heardAtMs >= this.settings.enquireLinkIntervalMs) {
      this.enquiredAtMs = nowMs;
      this.connection.sendBytes(encodePdu(COMMAND.enquireLink, 0, this.takeSequence()));
    }
  }

  private settleUnanswered(unanswered: PendingSubmit[], code: string): void {
    for (const pending of unanswered) {
      pending.bytes = undefined; // What is still queued must not go out any more.
      const outcome = unansweredOutcome(pending, code);
      this.dependencies.onOutcome(outcome, pending.submittedAtMs);
      pending.settle(outcome);
    }
  }

  private respond(pdu: Pdu, status: number): void {
    this.connection.sendBytes(encodePdu(pdu.command + RESPONSE, status, pdu.sequence));
  }

  private settled(outcome: SubmitOutcome, submittedAtMs: number): Promise<SubmitOutcome> {
    this.dependencies.onOutcome(outcome, submittedAtMs);
    return Promise.resolve(outcome);
  }

  private takeSequence(): number {
    do this.sequence = nextSequence(this.sequence);
    while (this.pending.has(this.sequence));
    return this.sequence;
  }

  private enter(phase: Phase): void {
    this.phase = phase;
    this.phaseSinceMs = this.dependencies.now();
  }
}

/** The message_id of a deliver_sm_resp is unused (SMPP 3.4 section 4.6.2). */
const EMPTY_MESSAGE_ID = Buffer.from([0]);
