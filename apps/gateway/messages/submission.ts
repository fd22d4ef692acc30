import { isViolation, type MessageQuote, type Micros, quoteMessage, type Replacement } from '#billing';
import type { PricedMessage } from '#persistence';
import { allFaults, type Checked, type FieldFault, problemOf } from '../http/problem.js';
import { Slices } from '../http/slices.js';
import { allFaultsOf, encodeSmartly, hasLimits, limitFaults, type Rules } from './draft-faults.js';
import type { SendEntry, SendRequest } from './messages.dto.js';
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

/** What the client is told of a message, whether it is accepted now or was the first time. */
export interface AcceptedOrder
  extends Pick<PricedMessage, 'id' | 'recipient' | 'price' | 'reference' | 'tag' | 'sendAt'> {
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

/** A single message; `beside` are the query and the headers. */
export function singleSubmission(body: SendRequest, ...beside: Checked[]): Submission {
  const submission = { drafts: [body], isBatch: false, faults: allFaults(body, beside) };
  return body.uniqueReference === true ? withUniqueReferences(submission) : submission;
}

/**
 * Checks and prices every draft, and checks that a route serves its destination, in the same way for a send and for a
 * quote. Where a draft asks for smart encoding, it changes the draft's text. It works in slices, so that the gateway
 * serves other requests beside a batch.
 *
 * @throws Problem that names every fault of the request: of its shape, texts, numbers and destinations
 */
export async function priceDrafts({ drafts, faults, isBatch }: Submission, rules: Rules): Promise<MessageQuote[]> {
  const slices = new Slices();
  const quotes: MessageQuote[] = [];
  for (const draft of faults.length > 0 ? [] : drafts) {
    const quote = priced(draft, rules);
    if (quote === undefined) break;
    quotes.push(quote);
    if (slices.isOver) await slices.pause();
  }
  if (faults.length === 0 && quotes.length === drafts.length) return quotes;
  throw problemOf([...faults, ...(await allFaultsOf(drafts, isBatch, rules, slices))]);
}

/** Undefined when it breaks a rule. */
function priced(draft: SendEntry, rules: Rules): MessageQuote | undefined {
  if (draft.smartEncoding === true) encodeSmartly(draft);
  const quote = quoteMessage(draft, rules.tariff);
  if (isViolation(quote) || !rules.routes.serves(quote.destination)) return undefined;
  return hasLimits(draft, rules) && limitFaults(draft, quote, rules).length > 0 ? undefined : quote;
}
