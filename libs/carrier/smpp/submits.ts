import type { LateOutcome, OutboundSegment, SubmitOutcome } from '../carrier.js';
import type { CarrierLog } from '../carrier-log.js';
import type { OutgoingPdu } from './connection.js';
import type { SubmitStatuses } from './error-codes.js';
import { storedMessageId } from './message-id.js';
import { type Pdu, untilZero } from './pdu.js';
import type { CompleteSettings } from './settings.js';
import { STATUS, statusName } from './smpp-status.js';
import { encodeSubmit } from './submit-sm.js';
import { inFormat } from './wire-format.js';

/** Submits past their deadline whose response still counts; the oldest is forgotten first. */
const EXPIRED_MAX = 10_000;

export interface SubmitsDependencies {
  readonly settings: CompleteSettings;
  readonly statuses: SubmitStatuses;
  readonly sparseLog: CarrierLog;
  readonly now: () => number;
  /** Called once for each submit with its outcome, before its promise resolves. */
  onOutcome(outcome: SubmitOutcome, submittedAtMs: number): void;
  readonly onLateResponse?: (() => void) | undefined;
}

/** A submit_sm that waits for its response. */
interface PendingSubmit extends OutgoingPdu {
  readonly sequence: number;
  readonly submittedAtMs: number;
  readonly settle: (outcome: SubmitOutcome) => void;
  readonly onLate: LateOutcome | undefined;
}

/** The submits of one session: written, answered, in doubt after their deadline, and answered after that. */
export class Submits {
  /** Deadlines that passed since the last response to a submit, in time or late. */
  expiredInARow = 0;
  /** By sequence number, the oldest first. All have the same timeout, so one sweep replaces a timer for each. */
  private readonly pending = new Map<number, PendingSubmit>();
  private readonly expired = new Map<number, LateOutcome | undefined>();

  constructor(private readonly dependencies: SubmitsDependencies) {}

  /** Submits without a response. */
  get outstanding(): number {
    return this.pending.size;
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
    const { settings, now } = this.dependencies;
    const submittedAtMs = now();
    const format = segment.format === undefined ? settings : inFormat(settings, segment.format);
    const bytes = encodeSubmit(format, segment, sequence);
    if (typeof bytes === 'string') return this.settled({ kind: 'refused', code: bytes }, submittedAtMs);
    return new Promise((settle) => {
      const pending = { sequence, submittedAtMs, settle, onLate, bytes, written: false };
      this.pending.set(sequence, pending);
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
    const pending = this.pending.get(sequence);
    if (pending === undefined) {
      this.answeredLate(sequence, status, outcome);
      return;
    }
    this.pending.delete(sequence);
    this.expiredInARow = 0;
    onOutcome(outcome, pending.submittedAtMs);
    pending.settle(outcome);
  }

  /** Gives up submits from `submittedUntilMs` or before, and tells whether there were any. */
  expire(submittedUntilMs: number): boolean {
    const expired: PendingSubmit[] = [];
    for (const pending of this.pending.values()) {
      if (pending.submittedAtMs > submittedUntilMs) break;
      expired.push(pending);
      if (pending.written) this.remember(pending.sequence, pending.onLate);
    }
    this.giveUp(expired, 'RESPONSE_TIMEOUT');
    this.expiredInARow += expired.length;
    return expired.length > 0;
  }

  /** Ends the submits that are not written yet: they must not go out any more. */
  dropUnwritten(code: string): void {
    this.giveUp(
      [...this.pending.values()].filter(({ written }) => !written),
      code,
    );
  }

  /** The session is over: written submits are in doubt, all others were not sent, and no late response can come. */
  end(code: string): void {
    this.expired.clear();
    this.giveUp([...this.pending.values()], code);
  }

  private answeredLate(sequence: number, status: number, outcome: SubmitOutcome): void {
    const { settings, sparseLog, onLateResponse } = this.dependencies;
    const isKnown = this.expired.has(sequence);
    const onLate = this.expired.get(sequence);
    this.expired.delete(sequence);
    const fields = { carrier: settings.name, status: statusName(status) };
    sparseLog.warn(fields, isKnown ? 'a submit was answered after its deadline' : 'a response to no submit');
    if (!isKnown) return;
    this.expiredInARow = 0;
    onLateResponse?.();
    onLate?.(outcome);
  }

  private remember(sequence: number, onLate: LateOutcome | undefined): void {
    if (this.expired.size >= EXPIRED_MAX) {
      const [oldest] = this.expired.keys();
      if (oldest !== undefined) this.expired.delete(oldest);
    }
    this.expired.set(sequence, onLate);
  }

  /** A submit without an answer is in doubt if it was written; otherwise it was certainly not sent. */
  private giveUp(unanswered: readonly PendingSubmit[], code: string): void {
    for (const { sequence } of unanswered) this.pending.delete(sequence);
    for (const pending of unanswered) {
      pending.bytes = undefined; // What is still queued must not go out any more.
      const outcome: SubmitOutcome = { kind: pending.written ? 'in-doubt' : 'not-sent', code };
      this.dependencies.onOutcome(outcome, pending.submittedAtMs);
      pending.settle(outcome);
    }
  }

  private settled(outcome: SubmitOutcome, submittedAtMs: number): Promise<SubmitOutcome> {
    this.dependencies.onOutcome(outcome, submittedAtMs);
    return Promise.resolve(outcome);
  }
}
