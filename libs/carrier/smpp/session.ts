import type { LateOutcome, OutboundSegment, SubmitOutcome } from '../carrier.js';
import type { Submitter } from '../pace/submit-slots.js';
import { bindRequest, noBindAnswer, notAnswered, notConnected } from './bind-request.js';
import { Connection } from './connection.js';
import { Deliveries } from './deliveries.js';
import { COMMAND, encodePdu, type Pdu, RESPONSE } from './pdu.js';
import { BIND_COMMANDS, type SessionDependencies } from './session-dependencies.js';
import type { CompleteSettings } from './settings.js';
import { isCredentialRefusal, STATUS, statusName } from './smpp-status.js';
import { Submits } from './submits.js';

/** Sequence numbers run from 1 to this one and start over (SMPP 3.4 section 3.2). */
const SEQUENCE_MAX = 0x7fffffff;
const TIMEOUTS_IN_A_ROW_MAX = 3;
/** How long a carrier that unbinds, or that no longer takes the bind for one, may still send responses. */
const LEAVE_TIMEOUT_MS = 2_000;
/** With as many deliveries that are not stored yet, the session stops reading, and the carrier's socket fills. */
const DELIVERIES_OUTSTANDING_MAX = 1_000;
/** Within this time after it reads again, a session has read what had come meanwhile. */
const READ_WITHIN_MS = 1_000;
/** The message_id of a deliver_sm_resp is unused (SMPP 3.4 section 4.6.2), and a data_sm_resp needs one as well. */
const EMPTY_MESSAGE_ID = '\0';
/** Why a bind ends after a response with ESME_RINVBNDSTS (0x04). */
const BIND_NOT_TAKEN = 'the carrier no longer takes this bind for one';
/** `unbinding`: we have asked for the end. `unbound`: the carrier has agreed. `leaving`: the carrier wants the end. */
type Phase = 'connecting' | 'binding' | 'bound' | 'unbinding' | 'unbound' | 'leaving' | 'ended';

/** One bind from connect to close; every attempt makes a new one. `tick` checks the deadlines. */
export class SmppSession implements Submitter {
  readonly submits: Submits;
  slotsInUse = 0;
  /** Receipts and messages that are not stored yet, or not answered. */
  deliveriesOutstanding = 0;
  private readonly deliveries: Deliveries;
  private readonly connection: Connection;
  private readonly settings: CompleteSettings;
  private phase: Phase = 'connecting';
  private phaseSinceMs: number;
  private sequence = 0;
  private heardAtMs: number;
  private enquiredAtMs: number | undefined;
  /** The last look at which it did not read. */
  private deafAtMs = Number.NEGATIVE_INFINITY;
  /** The sequence number of the carrier's unbind, which is answered when the session ends. */
  private unbindRequest: number | undefined;

  constructor(private readonly dependencies: SessionDependencies) {
    this.settings = dependencies.settings;
    this.phaseSinceMs = dependencies.now();
    this.heardAtMs = this.phaseSinceMs;
    this.deliveries = new Deliveries(dependencies);
    this.submits = new Submits({ ...dependencies, send: (pdu) => this.connection.send(pdu) });
    this.connection = new Connection(this.settings, dependencies.lookup, {
      connected: () => this.bind(),
      pdu: (pdu) => this.receive(pdu),
      chunkEnd: () => {
        this.endWhenQuiet();
        dependencies.onProgress();
      },
      failed: (reason, how) => this.end(this.phase === 'binding' && how ? notAnswered(this.settings, how) : reason),
    });
  }

  get window(): number {
    return this.phase === 'bound' ? this.settings.windowSize : 0;
  }

  /** Writes one submit_sm. Never rejects; `onOutcome` has run before the promise resolves. */
  submit(segment: OutboundSegment, onLate: LateOutcome = () => undefined): Promise<SubmitOutcome> {
    if (this.phase !== 'bound') return this.submits.unwritten({ kind: 'not-sent', code: 'BIND_DOWN' });
    return this.submits.submit(segment, onLate, this.takeSequence());
  }

  /** Checks every deadline of this session. Call it often, compared with the shortest timeout. */
  tick(nowMs: number): void {
    // While the session does not read, silence is no fault of the carrier, and responses wait in the socket.
    if (this.deliveriesOutstanding >= DELIVERIES_OUTSTANDING_MAX) {
      this.heardAtMs = nowMs;
      this.deafAtMs = nowMs;
    }
    if (nowMs - this.deafAtMs >= READ_WITHIN_MS) this.submits.expire(nowMs - this.settings.responseTimeoutMs);
    const { expiredInARow } = this.submits;
    if (expiredInARow >= TIMEOUTS_IN_A_ROW_MAX) this.end(`no answer to ${expiredInARow} submits in a row`);
    const { phase, settings } = this;
    const phaseMs = nowMs - this.phaseSinceMs;
    if (phase === 'connecting' && phaseMs >= settings.connectTimeoutMs) this.end(notConnected(settings));
    if (phase === 'binding' && phaseMs >= settings.responseTimeoutMs) this.end(noBindAnswer(settings));
    if (phase === 'bound') this.keepAlive(nowMs);
    if (phase === 'leaving') this.endWhenQuiet();
  }

  /**
   * Sends unbind. The session ends when the carrier answers, after every earlier delivery is stored and acknowledged.
   */
  unbind(): void {
    if (this.phase === 'bound') {
      this.enter('unbinding');
      this.write(COMMAND.unbind, STATUS.ok, this.takeSequence());
    } else {
      this.end('closed');
    }
  }

  /** Ends the session: submits that were written and not answered are in doubt, all others were not sent. */
  end(reason: string, how: { readonly needsOperator?: boolean; readonly politely?: boolean } = {}): void {
    if (this.phase === 'ended') return;
    this.enter('ended');
    this.submits.end('BIND_LOST');
    if (how.politely) this.connection.finish();
    else this.connection.destroy();
    this.dependencies.onEnd({ reason, needsOperator: how.needsOperator ?? false });
  }

  private bind(): void {
    this.enter('binding');
    const command = BIND_COMMANDS[this.dependencies.role];
    this.write(command, STATUS.ok, this.takeSequence(), bindRequest(this.settings));
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
      case COMMAND.dataSm:
        this.receiveDelivery(pdu).catch((error: unknown) => this.end(String(error)));
        break;
      case COMMAND.enquireLink:
        this.write(COMMAND.enquireLink + RESPONSE, STATUS.ok, pdu.sequence);
        break;
      case BIND_COMMANDS[this.dependencies.role] + RESPONSE:
        this.receiveBindResponse(pdu.status);
        break;
      case COMMAND.genericNack:
        this.receiveNack(pdu);
        break;
      case COMMAND.unbind:
        this.unbindRequest = pdu.sequence;
        this.leave();
        break;
      case COMMAND.unbind + RESPONSE:
        if (this.phase === 'unbinding') this.enter('unbound');
        else if (this.phase !== 'unbound') this.end('closed', { politely: true });
        break;
      case COMMAND.alertNotification:
      case COMMAND.outbind:
        break; // Neither has a response (SMPP 3.4 sections 4.12.1 and 4.1.7).
      default:
        if (pdu.command < RESPONSE) this.write(COMMAND.genericNack, STATUS.invalidCommandId, pdu.sequence);
    }
  }

  private receiveBindResponse(status: number): void {
    if (this.phase !== 'binding') return;
    if (status === STATUS.ok) {
      this.enter('bound');
      this.dependencies.onBound();
    } else {
      const needsOperator = isCredentialRefusal(status);
      const advice = needsOperator ? '; check user and password' : '';
      this.end(`the carrier refused the bind: ${statusName(status)}${advice}`, { needsOperator, politely: true });
    }
  }

  private settleSubmit(pdu: Pdu): void {
    this.submits.answered(pdu);
    // The carrier says that this bind may not submit; only a new bind can.
    if (pdu.status === STATUS.invalidBindStatus && this.phase === 'bound') this.leave();
  }

  /** The carrier may still answer submits that it took, also in the same chunk; those are not in doubt. */
  private leave(): void {
    if (this.phase === 'leaving') return;
    this.enter('leaving');
    this.submits.dropUnwritten('BIND_DOWN');
  }

  /** Ends a bind that one side has unbound, once all deliveries are stored. */
  private endWhenQuiet(): void {
    const { unbindRequest, deliveriesOutstanding } = this;
    // A carrier that has agreed to our unbind answers no submit any more.
    if (this.phase === 'unbound' && deliveriesOutstanding === 0) this.end('closed', { politely: true });
    if (this.phase !== 'leaving') return;
    const isLate = this.dependencies.now() - this.phaseSinceMs >= LEAVE_TIMEOUT_MS;
    if (deliveriesOutstanding + this.submits.outstanding > 0 && !isLate) return;
    if (unbindRequest !== undefined) this.write(COMMAND.unbind + RESPONSE, STATUS.ok, unbindRequest);
    this.end(unbindRequest === undefined ? BIND_NOT_TAKEN : 'the carrier unbound', { politely: true });
  }

  /** A generic_nack is an error whatever its status (SMPP 3.4 section 4.3): 0 must not count as accepted. */
  private receiveNack(pdu: Pdu): void {
    const code = pdu.status === STATUS.ok ? STATUS.unknownError : pdu.status;
    const status = statusName(code);
    if (this.submits.knows(pdu.sequence)) this.settleSubmit({ ...pdu, status: code });
    else if (this.phase === 'binding') this.receiveBindResponse(code);
    else if (this.phase === 'unbinding') this.enter('unbound');
    else this.dependencies.sparseLog.warn({ carrier: this.settings.name, status }, 'generic_nack');
  }

  private async receiveDelivery(pdu: Pdu): Promise<void> {
    const { command, sequence } = pdu;
    this.deliveriesOutstanding += 1;
    if (this.deliveriesOutstanding >= DELIVERIES_OUTSTANDING_MAX) this.connection.setReading(false);
    const status = await this.deliveries.receive(pdu);
    this.deliveriesOutstanding -= 1;
    if (this.phase === 'ended') return;
    this.write(command + RESPONSE, status, sequence, EMPTY_MESSAGE_ID);
    if (this.deliveriesOutstanding === DELIVERIES_OUTSTANDING_MAX - 1) this.connection.setReading(true);
    this.endWhenQuiet();
  }

  private keepAlive(nowMs: number): void {
    if (this.enquiredAtMs !== undefined) {
      if (nowMs - this.enquiredAtMs >= this.settings.enquireLinkTimeoutMs) this.end('no answer to enquire_link');
    } else if (nowMs - this.heardAtMs >= this.settings.enquireLinkIntervalMs) {
      this.enquiredAtMs = nowMs;
      this.write(COMMAND.enquireLink, STATUS.ok, this.takeSequence());
    }
  }

  private write(...pdu: Parameters<typeof encodePdu>): void {
    this.connection.send({ bytes: encodePdu(...pdu), written: false });
  }

  private takeSequence(): number {
    do this.sequence = (this.sequence % SEQUENCE_MAX) + 1;
    while (this.submits.knows(this.sequence));
    return this.sequence;
  }

  private enter(phase: Phase): void {
    this.phase = phase;
    this.phaseSinceMs = this.dependencies.now();
  }
}
