import type { LateOutcome, OutboundSegment, SubmitOutcome } from '../carrier.js';
import type { Connection, OutgoingPdu } from './connection.js';
import { storedMessageId } from './message-id.js';
import { type Pdu, untilZero } from './pdu.js';
import type { SessionDependencies } from './session-dependencies.js';
import { STATUS, statusName } from './smpp-status.js';
import { encodeSubmit } from './submit-sm.js';
import { inFormat } from './wire-format.js';

/** Submits past their deadline whose response still counts; the oldest is forgotten first. */
const EXPIRED_MAX = 10_000;

type SubmitsDependencies = Pick<SessionDependencies, 'settings' | 'statuses' | 'sparseLog' | 'now' | 'onOutcome'> &
  Pick<Connection, 'send'>;

/** A submit_sm that waits for its response. */
interface PendingSubmit extends OutgoingPdu {
  readonly sequence: number;
  readonly submittedAtMs: number;
  readonly resolve: (outcome: SubmitOutcome) => void;
  readonly onLate: LateOutcome;
}

/** The submits of one session: written, answered, in doubt after their deadline, and answered after that. */
export class Submits {
  /** Deadlines that passed since the last response to a submit, in time or late. */
  expiredInARow = 0;
  /** By sequence number, the oldest first. All have the same timeout, so one sweep replaces a timer for each. */
  private readonly pending = new Map<number, PendingSubmit>();
  private readonly expired = new Map<number, LateOutcome>();

  constructor(private readonly dependencies: SubmitsDependencies) {}

  /** Submits without a response. */
  get outstanding(): number {
    return this.pending.size;
  }

  /** Whether a response with this number belongs to a submit. */
  knows(sequence: number): boolean {
    return this.pending.has(sequence) || this.expired.has(sequence);
  }

  /** Sends one submit_sm and waits for its outcome. */
  submit(segment: OutboundSegment, onLate: LateOutcome, sequence: number): Promise<SubmitOutcome> {
    const { settings, now } = this.dependencies;
    const format = segment.format === undefined ? settings : inFormat(settings, segment.format);
    const bytes = encodeSubmit(format, segment, sequence);
    if (typeof bytes === 'string') return this.unwritten({ kind: 'refused', code: bytes });
    const submittedAtMs = now();
    return new Promise((resolve) => {
      const pending = { sequence, submittedAtMs, resolve, onLate, bytes, written: false };
      this.pending.set(sequence, pending);
      this.dependencies.send(pending);
    });
  }

  /** The outcome of a submit that is not even tried. */
  unwritten(outcome: SubmitOutcome): Promise<SubmitOutcome> {
    this.dependencies.onOutcome(outcome, this.dependencies.now());
    return Promise.resolve(outcome);
  }

  /** A submit_sm_resp, or a generic_nack with the number of a submit. */
  answered({ sequence, status, body }: Pdu): void {
    const { settings, statuses, sparseLog } = this.dependencies;
    const pending = this.pending.get(sequence);
    const late = this.expired.get(sequence);
    if (pending === undefined) {
      const fields = { carrier: settings.name, status: statusName(status) };
      sparseLog.warn(fields, late ? 'a submit was answered after its deadline' : 'a response to no submit');
      if (late === undefined) return;
    }
    const outcome: SubmitOutcome =
      status === STATUS.ok
        ? { kind: 'accepted', carrierMessageId: storedMessageId(untilZero(body)) }
        : statuses.classify(status);
    this.expiredInARow = 0;
    this.expired.delete(sequence);
    if (pending !== undefined) this.settle(pending, outcome);
    late?.(outcome);
  }

  /** Gives up submits from `submittedUntilMs` or before. */
  expire(submittedUntilMs: number): void {
    for (const pending of this.pending.values()) {
      if (pending.submittedAtMs > submittedUntilMs) break;
      if (pending.written) this.expired.set(pending.sequence, pending.onLate);
      this.giveUp(pending, 'RESPONSE_TIMEOUT');
      this.expiredInARow += 1;
    }
    for (const oldest of this.expired.keys()) {
      if (this.expired.size <= EXPIRED_MAX) break;
      this.expired.delete(oldest);
    }
  }

  /** Ends the submits that are not written yet: they must not go out any more. */
  dropUnwritten(code: string): void {
    for (const pending of this.pending.values()) if (!pending.written) this.giveUp(pending, code);
  }

  /** The session is over: written submits are in doubt, all others were not sent, and no late response can come. */
  end(code: string): void {
    this.expired.clear();
    for (const pending of this.pending.values()) this.giveUp(pending, code);
  }

  /** A submit without an answer is in doubt if it was written; otherwise it was certainly not sent. */
  private giveUp(pending: PendingSubmit, code: string): void {
    pending.bytes = undefined; // What is still queued must not go out any more.
    this.settle(pending, { kind: pending.written ? 'in-doubt' : 'not-sent', code });
  }

  private settle({ sequence, submittedAtMs, resolve }: PendingSubmit, outcome: SubmitOutcome): void {
    this.pending.delete(sequence);
    this.dependencies.onOutcome(outcome, submittedAtMs);
    resolve(outcome);
  }
}
