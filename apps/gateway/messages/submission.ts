import type { FieldFault } from '../http/problem.js';
import type { SendRequest } from './messages.dto.js';

/** The messages of one request, priced and accepted as a whole or refused as a whole. */
export interface Submission {
  /** If there are `faults`, their fields may be missing or of another type. */
  readonly drafts: readonly SendRequest[];
  /** Whether faults name the entry of the batch that they are in. */
  readonly isBatch: boolean;
  /** The faults of the request's shape; rules and prices are not checked yet. */
  readonly faults: readonly FieldFault[];
}

const NO_FAULTS: readonly FieldFault[] = [];

interface Checked {
  readonly faults?: readonly FieldFault[];
}

/** A single message; `beside` are the query and the headers. */
export function singleSubmission(body: SendRequest, ...beside: Checked[]): Submission {
  return { drafts: [body], isBatch: false, faults: allFaults(body, beside) };
}

/** A batch; if `messages` is not an array, there are no drafts, only a fault. */
export function batchSubmission(body: Checked & { messages?: SendRequest[] }, ...beside: Checked[]): Submission {
  const drafts = Array.isArray(body.messages) ? body.messages : [];
  return { drafts, isBatch: true, faults: allFaults(body, beside) };
}

function allFaults(body: Checked, beside: readonly Checked[]): readonly FieldFault[] {
  if (body.faults === undefined && beside.every(({ faults }) => faults === undefined)) return NO_FAULTS;
  return [...beside, body].flatMap(({ faults }) => faults ?? NO_FAULTS);
}
