import type { Micros, Replacement } from '#billing';
import { allFaults, type Checked, type FieldFault } from '../http/problem.js';
import type { SendEntry } from './messages.dto.js';
import type { SendOptions } from './send-options.dto.js';
import { withUniqueReferences } from './unique-references.js';

/** The messages of one request, priced and accepted as a whole or refused as a whole. */
export interface Submission {
  /** If there are `faults`, their fields may be missing or of another type. */
  readonly drafts: readonly SendEntry[];
  /** Whether faults name the entry of the batch that they are in. */
  readonly isBatch: boolean;
  /** The faults of the request's shape; rules and prices are not checked yet. */
  readonly faults: readonly FieldFault[];
  /** No earlier message may have one of the references. */
  readonly uniqueReferences?: true;
}

export interface AcceptedOrder {
  readonly id: string;
  readonly recipient: string;
  readonly price: Micros;
  readonly reference?: string | undefined;
  readonly tag?: string | undefined;
  /** The time for which it is scheduled. */
  readonly sendAt?: Date | undefined;
  /** What was replaced in its text, if the client has asked for that. */
  readonly replacements?: readonly Replacement[] | undefined;
}

/** What became of a submission that was accepted. */
export interface Acceptance {
  readonly orders: readonly AcceptedOrder[];
  /** Undefined: it is no batch, or one of a version that gave batches no id. */
  readonly batchId: string | undefined;
  readonly total: Micros;
  /** The key was used before: nothing was charged now, and the orders are those of the first time. */
  readonly isReplay: boolean;
}

/** What may be asked of all messages of a request. */
export type Options = SendOptions & { readonly uniqueReference?: boolean };

/** A single message; `beside` are the query and the headers. */
export function singleSubmission(body: SendEntry & Options, ...beside: Checked[]): Submission {
  const submission = { drafts: [body], isBatch: false, faults: allFaults(body, beside) };
  return body.uniqueReference === true ? withUniqueReferences(submission) : submission;
}
