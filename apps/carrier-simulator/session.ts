import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Counters } from './counters.js';
import { FrameReader } from './frame-reader.js';
import type { HandsetDesk } from './handset-desk.js';
import type { Intake, SubmittingBind } from './intake.js';
import { Outbox } from './outbox.js';
import { PduError } from './pdu-error.js';
import { Command, GENERIC_NACK, RESPONSE_BIT, SEQUENCE_MAX, Status } from './pdu-fields.js';
import {
  type Delivery,
  writeBindResponse,
  writeDeliver,
  writeGenericNack,
  writeHeader,
  writeSubmitResponse,
} from './pdu-writing.js';
import { type BindRequest, readBind } from './read-bind.js';
import type { ReceiptDesk, ReceivingBind } from './receipt-desk.js';
import type { Records, SessionRecord } from './records.js';
import type { Timers } from './timers.js';

export type BindMode = 'transmitter' | 'receiver' | 'transceiver';

const BIND_MODES: Readonly<Record<number, BindMode>> = {
  [Command.bindTransmitter]: 'transmitter',
  [Command.bindReceiver]: 'receiver',
  [Command.bindTransceiver]: 'transceiver',
};

const BIND_TIMEOUT_MS = 30_000;
const HANG_UP_TIMEOUT_MS = 1_000;

/** The dependencies of a session: what all sessions share with the rest of the simulator. */
export interface SessionDependencies {
  readonly intake: Intake;
  readonly desk: ReceiptDesk;
  readonly handsets: HandsetDesk;
  readonly records: Records;
  readonly timers: Timers;
  readonly counters: Counters;
  readonly logger: Logger;
  /** @returns ESME_ROK, or the status with which the bind is refused */
  admit(request: BindRequest): number;
  flushRecords(): void;
  forget(session: Session): void;
}

/** One connection: unbound, then bound in one of three modes, then closed (SMPP 3.4, 2.2). */
export class Session implements SubmittingBind, ReceivingBind {
  systemId = '';
  mode: BindMode | undefined;
  unanswered = 0;
  isCongested = false;
  private isOpen = true;
  private nextSequence = 1;
  private readonly frames = new FrameReader();
  private readonly outbox: Outbox;

  constructor(
    readonly id: number,
    private readonly socket: Socket,
    private readonly dependencies: SessionDependencies,
  ) {
    this.outbox = new Outbox(
      socket,
      () => dependencies.flushRecords(),
      () => this.pause(),
    );
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('drain', () => this.resume());
    socket.on('error', (error) => dependencies.logger.debug({ bind: id, reason: error.message }, 'connection failed'));
    socket.on('close', () => this.end());
    dependencies.timers.after(BIND_TIMEOUT_MS, () => {
      if (this.mode === undefined) this.hangUp('no bind in time');
    });
  }

  write(pdu: Buffer): void {
    if (this.isOpen) this.outbox.push(pdu);
  }

  deliver(delivery: Delivery): number {
    const sequence = this.takeSequence();
    this.write(writeDeliver(sequence, delivery));
    return sequence;
  }

  requestUnbind(): void {
    this.write(writeHeader(Command.unbind, 0, this.takeSequence()));
  }

  hangUp(reason: string): void {
    if (!this.isOpen) return;
    this.outbox.flush();
    this.leave(reason);
    this.socket.destroySoon();
    this.dependencies.timers.after(HANG_UP_TIMEOUT_MS, () => this.socket.destroy());
  }

  /** Drops the connection without sending the queued data. */
  drop(): void {
    this.leave('dropped');
    this.socket.destroy();
  }

  private receive(chunk: Buffer): void {
    if (!this.isOpen) return;
    try {
      this.frames.push(chunk, (pdu) => {
        this.handle(pdu);
        return this.isOpen;
      });
    } catch (error) {
      if (!(error instanceof PduError)) throw error;
      // Where the next PDU begins is unknown, so this connection is useless.
      this.note('malformed', error.message);
      this.write(writeGenericNack(error.status, 0));
      this.hangUp(error.message);
    }
  }

  private handle(pdu: Buffer): void {
    const command = pdu.readUInt32BE(4);
    const sequence = pdu.readUInt32BE(12);
    try {
      this.dispatch(command, sequence, pdu);
    } catch (error) {
      if (!(error instanceof PduError)) throw error;
      this.note('malformed', error.message, sequence);
      this.write(writeGenericNack(error.status, sequence));
    }
  }

  private dispatch(command: number, sequence: number, pdu: Buffer): void {
    switch (command) {
      case Command.submitSm:
        if (this.mode === 'transmitter' || this.mode === 'transceiver') this.dependencies.intake.take(this, pdu);
        else this.write(writeSubmitResponse(Status.ESME_RINVBNDSTS, sequence, ''));
        return;
      case (Command.deliverSm | RESPONSE_BIT) >>> 0:
        this.acknowledged(sequence, pdu.readUInt32BE(8));
        return;
      case Command.enquireLink:
        this.note('pdu', 'enquire_link', sequence);
        this.write(writeHeader((command | RESPONSE_BIT) >>> 0, 0, sequence));
        return;
      case Command.bindReceiver:
      case Command.bindTransmitter:
      case Command.bindTransceiver:
        this.bind(command, sequence, pdu);
        return;
      case Command.unbind:
        this.note('pdu', 'unbind', sequence);
        this.write(writeHeader((command | RESPONSE_BIT) >>> 0, 0, sequence));
        this.hangUp('unbind');
        return;
      case (Command.unbind | RESPONSE_BIT) >>> 0:
        this.hangUp('unbind_resp');
        return;
      case GENERIC_NACK:
        this.note('pdu', 'generic_nack', sequence);
        // It may be for a deliver_sm; without a status it counts as a failure.
        this.acknowledged(sequence, pdu.readUInt32BE(8) || Status.ESME_RSYSERR);
        return;
      default:
        if (command >= RESPONSE_BIT) return;
        this.note('malformed', `unknown command 0x${command.toString(16)}`, sequence);
        this.write(writeGenericNack(Status.ESME_RINVCMDID, sequence));
    }
  }

  private bind(command: number, sequence: number, pdu: Buffer): void {
    const request = readBind(pdu);
    const mode = BIND_MODES[command];
    const status = this.mode === undefined ? this.dependencies.admit(request) : Status.ESME_RALYBND;
    this.write(writeBindResponse(command, status, sequence));
    this.note('bind', mode ?? '', sequence, status);
    if (status === Status.ESME_RALYBND) return;
    if (status !== Status.ESME_ROK || mode === undefined) {
      this.dependencies.logger.warn({ bind: this.id, status }, 'bind refused');
      this.hangUp('bind refused');
      return;
    }
    this.mode = mode;
    this.systemId = request.systemId;
    this.dependencies.logger.info({ bind: this.id, systemId: this.systemId, mode }, 'bound');
    if (mode === 'transmitter') return;
    this.dependencies.desk.opened(this);
    this.dependencies.handsets.opened(this);
  }

  private acknowledged(sequence: number, status: number): void {
    this.dependencies.desk.acknowledged(this, sequence, status);
    this.dependencies.handsets.acknowledged(this, sequence, status);
  }

  private takeSequence(): number {
    const sequence = this.nextSequence;
    this.nextSequence = sequence === SEQUENCE_MAX ? 1 : sequence + 1;
    return sequence;
  }

  /** If a peer does not read its answers, the session stops reading too, so that the answers do not pile up. */
  private pause(): void {
    if (this.isCongested) return;
    this.isCongested = true;
    this.dependencies.counters.pauses++;
    this.socket.pause();
  }

  private resume(): void {
    if (!this.isCongested) return;
    this.isCongested = false;
    this.socket.resume();
    this.dependencies.desk.drained(this);
  }

  private end(): void {
    this.leave('closed by the peer');
    this.dependencies.forget(this);
  }

  private leave(reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.note('closed', reason);
    // A connection that never bound is a health check or a port scan.
    const level = this.mode === undefined ? 'debug' : 'info';
    this.dependencies.logger[level]({ bind: this.id, systemId: this.systemId, reason }, 'connection closed');
    this.dependencies.desk.closed(this);
    this.dependencies.handsets.closed(this);
  }

  private note(kind: SessionRecord['kind'], what: string, sequence?: number, status?: number): void {
    if (!this.dependencies.records.isOn) return;
    this.dependencies.records.add({
      kind,
      atMs: Date.now(),
      bind: this.id,
      systemId: this.systemId,
      what,
      ...(sequence === undefined ? {} : { sequence }),
      ...(status === undefined ? {} : { status }),
    });
  }
}
