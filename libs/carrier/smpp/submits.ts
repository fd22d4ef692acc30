import type { LateOutcome, OutboundSegment, SubmitOutcome } from '../carrier.js';
import type { CarrierLog } from '../carrier-log.js';
import { UnencodableTextError } from './alphabet.js';
import type { OutgoingPdu } from './connection.js';
import { untilZero } from './deliver-sm.js';
import type { SubmitStatuses } from './error-codes.js';
import { storedMessageId } from './message-id.js';
import type { Pdu } from './pdu.js';
import { STATUS, statusName } from './smpp-status.js';
import { InvalidSenderError } from './submit-sm.js';
import type { SubmitEncoders } from './wire-format.js';

/** Submits past their deadline whose response still counts; the oldest is forgotten first. */
const EXPIRED_MAX = 10_000;

export interface SubmitsDependencies {
  readonly carrier: string;
  readonly encoders: SubmitEncoders;
  readonly statuses: SubmitStatuses;
  readonly sparseLog: CarrierLog;
  readonly now: () => number;
  /** Called once for each submit with its outcome, before its promise resolves. */
  onOutcome(outcome: SubmitOutcome, submittedAtMs: number): void;
  onLateResponse(): void;
}

/** A submit_sm that waits for its response. */
interface PendingSubmit extends OutgoingPdu {
  readonly sequence: number;
  readonly submittedAtMs: number;
  readonly settle: (outcome: SubmitOutcome) => void;
  readonly onLate: LateOutcome | undefined;
}

/**
 * Submits without a response, by sequence number. All have the same timeout, so a Map, which keeps the order of
 * insertion, has the oldest first, and one sweep replaces a timer for each.
 */
class PendingSubmits {
  private readonly bySequence = new Map<number, PendingSubmit>();

  get size(): number {
    return this.bySequence.size;
  }

  has(sequence: number): boolean {
    return this.bySequence.has(sequence);
  }

  add(pending: PendingSubmit): void {
    this.bySequence.set(pending.sequence, pending);
  }

  take(sequence: number): PendingSubmit | undefined {
    const pending = this.bySequence.get(sequence);
    if (pending !== undefined) this.bySequence.delete(sequence);
    return pending;
  }

  /** Removes and returns all that were submitted at `submittedUntilMs` or before. */
  takeExpired(submittedUntilMs: number): PendingSubmit[] {
    const expired: PendingSubmit[] = [];
    for (const pending of this.bySequence.values()) {
      if (pending.submittedAtMs > submittedUntilMs) break;
      expired.push(pending);
    }
    for (const { sequence } of expired) this.bySequence.delete(sequence);
    return expired;
  }

  takeUnwritten(): PendingSubmit[] {
    const unwritten = [...this.bySequence.values()].filter(({ written }) => !written);
    for (const { sequence } of unwritten) this.bySequence.delete(sequence);
    return unwritten;
  }

  takeAll(): PendingSubmit[] {
    const all = [...this.bySequence.values()];
    this.bySequence.clear();
    return all;
  }
}

/** The submits of one session: written, answered, in doubt after their deadline, and answered after that. */
export class Submits {
  private readonly pending = new PendingSubmits();
  private readonly expired = new Map<number, LateOutcome | undefined>();
  private inARowExpired = 0;

  constructor(private readonly dependencies: SubmitsDependencies) {}

  /** Submits without a response. */
  get outstanding(): number {
    return this.pending.size;
  }

  /** Deadlines that passed since the last response to a submit, in time or late. */
  get expiredInARow(): number {
    return this.inARowExpired;
  }

  /** Whether a response with this number belongs to a submit. */
  knows(sequence: number): boolean {
    return this.pending.has(sequence) || this.expired.has(sequence);
  }

  /** Passes one submit_sm to `send` and waits for its outcome. */
  submit(
    segment: OutboundSegment,
    onLate: LateOutcome | undefined,
    sequence: number,
    send: (pdu: OutgoingPdu) => void,
  ): Promise<SubmitOutcome> {
    const submittedAtMs = this.dependencies.now();
    let bytes: Buffer;
    try {
      bytes = this.dependencies.encoders.of(segment.format).encode(segment, sequence);
    } catch (error) {
      return this.settled({ kind: 'refused', code: refusalCode(error) }, submittedAtMs);
    }
    return new Promise((settle) => {
      const pending = { sequence, submittedAtMs, settle, onLate, bytes, written: false };
      this.pending.add(pending);
      send(pending);
    });
  }

  /** A submit that is not even tried. */
  notSent(code: string): Promise<SubmitOutcome> {
    return this.settled({ kind: 'not-sent', code }, this.dependencies.now());
  }

  /** A submit_sm_resp, or a generic_nack with the number of a submit. */
  answered({ sequence, status, body }: Pdu): void {
    const { statuses, onOutcome } = this.dependencies;
    const outcome: SubmitOutcome =
      status === STATUS.ok
        ? { kind: 'accepted', carrierMessageId: storedMessageId(untilZero(body)) }
        : statuses.classify(status);
    const pending = this.pending.take(sequence);
    if (pending === undefined) {
      this.answeredLate(sequence, status, outcome);
      return;
    }
    this.inARowExpired = 0;
    onOutcome(outcome, pending.submittedAtMs);
    pending.settle(outcome);
  }

  /** Gives up submits from `submittedUntilMs` or before, and tells whether there were any. */
  expire(submittedUntilMs: number): boolean {
    const expired = this.pending.takeExpired(submittedUntilMs);
    for (const { sequence, written, onLate } of expired) if (written) this.remember(sequence, onLate);
    this.settleUnanswered(expired, 'RESPONSE_TIMEOUT');
    this.inARowExpired += expired.length;
    return expired.length > 0;
  }

  /** Ends the submits that are not written yet: they must not go out any more. */
  dropUnwritten(code: string): void {
    this.settleUnanswered(this.pending.takeUnwritten(), code);
  }

  /** The session is over: written submits are in doubt, all others were not sent, and no late response can come. */
  end(code: string): void {
    this.expired.clear();
    this.settleUnanswered(this.pending.takeAll(), code);
  }

  private answeredLate(sequence: number, status: number, outcome: SubmitOutcome): void {
    const { carrier, sparseLog, onLateResponse } = this.dependencies;
    const isKnown = this.expired.has(sequence);
    const onLate = this.expired.get(sequence);
    this.expired.delete(sequence);
    const fields = { carrier, status: statusName(status) };
    sparseLog.warn(fields, isKnown ? 'a submit was answered after its deadline' : 'a response to no submit');
    if (!isKnown) return;
    this.inARowExpired = 0;
    onLateResponse();
    onLate?.(outcome);
  }

  private remember(sequence: number, onLate: LateOutcome | undefined): void {
    if (this.expired.size >= EXPIRED_MAX) {
      const [oldest] = this.expired.keys();
      if (oldest !== undefined) this.expired.delete(oldest);
    }
    this.expired.set(sequence, onLate);
  }

  private settleUnanswered(unanswered: PendingSubmit[], code: string): void {
    for (const pending of unanswered) {
      pending.bytes = undefined; // What is still queued must not go out any more.
      const outcome = unansweredOutcome(pending, code);
      this.dependencies.onOutcome(outcome, pending.submittedAtMs);
      pending.settle(outcome);
    }
  }

  private settled(outcome: SubmitOutcome, submittedAtMs: number): Promise<SubmitOutcome> {
    this.dependencies.onOutcome(outcome, submittedAtMs);
    return Promise.resolve(outcome);
  }
}

/** The outcome of a submit without an answer: in doubt if it was written, otherwise certainly not sent. */
function unansweredOutcome(pending: PendingSubmit, code: string): SubmitOutcome {
  return { kind: pending.written ? 'in-doubt' : 'not-sent', code };
}

function refusalCode(error: unknown): string {
  if (error instanceof UnencodableTextError) return 'UNENCODABLE';
  if (error instanceof InvalidSenderError) return 'INVALID_SENDER';
  throw error;
}
