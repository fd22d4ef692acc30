import { brokenGuard, isViolation, type MessageQuote, quoteMessage } from '#billing';
import { type FieldFault, problemOf } from '../http/problem.js';
import { Slices } from '../http/slices.js';
import { faultsOf, hasLimits, limitFaults } from './draft-faults.js';
import type { SendEntry } from './messages.dto.js';
import type { Rules } from './send-rules.js';
import { encodeSmartly } from './smart-drafts.js';
import type { Submission } from './submission.js';

/**
 * Checks and prices every draft, and checks that a route serves its destination, in the same way for a send and for a
 * quote. Where a draft asks for smart encoding, it changes the draft's text. It prices a single draft at once, and a
 * batch in slices, so that the gateway serves other requests meanwhile.
 *
 * @throws Problem that names every fault of the request: of its shape, of its texts and numbers, and of its
 * destinations
 */
export function priceDrafts(submission: Submission, rules: Rules): MessageQuote[] | Promise<MessageQuote[]> {
  if (submission.isBatch) return priceBatch(submission, rules);
  const { drafts, faults } = submission;
  const [draft] = drafts;
  const quote = faults.length > 0 || draft === undefined ? undefined : priced(draft, rules);
  if (quote !== undefined) return [quote];
  throw problemOf([...faults, ...drafts.flatMap((one) => faultsOf(one, rules))]);
}

async function priceBatch({ drafts, faults }: Submission, rules: Rules): Promise<MessageQuote[]> {
  const slices = new Slices();
  const quotes: MessageQuote[] = [];
  for (const draft of faults.length > 0 ? [] : drafts) {
    const quote = priced(draft, rules);
    if (quote === undefined) break;
    quotes.push(quote);
    if (slices.isOver) await slices.pause();
  }
  if (faults.length === 0 && quotes.length === drafts.length) return quotes;
  // A second pass over all drafts, for every rule: a refused request may cost more than an accepted one.
  const broken: FieldFault[] = [];
  for (const [arrayPosition, draft] of drafts.entries()) {
    for (const fault of faultsOf(draft, rules)) broken.push({ ...fault, arrayPosition });
    if (slices.isOver) await slices.pause();
  }
  throw problemOf([...faults, ...broken]);
}

/** Undefined when it breaks a rule. */
function priced(draft: SendEntry, rules: Rules): MessageQuote | undefined {
  if (draft.smartEncoding === true) encodeSmartly(draft);
  const quote = quoteMessage(draft, rules.tariff);
  if (isViolation(quote) || !rules.routes.serves(quote.destination)) return undefined;
  if (rules.account.guards !== undefined && brokenGuard(rules.account.guards, quote) !== undefined) return undefined;
  return hasLimits(draft) && limitFaults(draft, quote, rules).length > 0 ? undefined : quote;
}
