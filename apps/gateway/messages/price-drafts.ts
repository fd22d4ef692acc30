import { isViolation, type MessageQuote, parseRecipient, quoteMessage, type Tariff, violationsOf } from '#billing';
import { type FieldFault, problemOf } from '../http/problem.js';
import { Slices } from '../http/slices.js';
import type { Routing } from '../routes/route-book.js';
import type { SendEntry } from './messages.dto.js';
import type { Submission } from './submission.js';

/** The same text for every number: the client knows which number it is. */
const NO_ROUTE = {
  field: 'recipient',
  code: 'no_route',
  detail: 'No carrier of this service takes messages to this destination.',
} as const satisfies FieldFault;

/**
 * Checks and prices every draft, and checks that a route serves its destination, in the same way for a send and for a
 * quote. It prices a single draft at once, and a batch in slices, so that the gateway serves other requests meanwhile.
 *
 * @throws Problem that names every fault of the request: of its shape, of its texts and numbers, and of its
 * destinations
 */
export function priceDrafts(
  submission: Submission,
  tariff: Tariff,
  routing: Routing,
): MessageQuote[] | Promise<MessageQuote[]> {
  if (submission.isBatch) return priceBatch(submission, tariff, routing);
  const { drafts, faults } = submission;
  const [draft] = drafts;
  const quote = faults.length > 0 || draft === undefined ? undefined : priced(draft, tariff, routing);
  if (quote !== undefined) return [quote];
  throw problemOf([...faults, ...drafts.flatMap((one) => faultsOf(one, tariff, routing))]);
}

async function priceBatch({ drafts, faults }: Submission, tariff: Tariff, routing: Routing): Promise<MessageQuote[]> {
  const slices = new Slices();
  const quotes: MessageQuote[] = [];
  for (const draft of faults.length > 0 ? [] : drafts) {
    const quote = priced(draft, tariff, routing);
    if (quote === undefined) break;
    quotes.push(quote);
    if (slices.isOver) await slices.pause();
  }
  if (faults.length === 0 && quotes.length === drafts.length) return quotes;
  // A second pass over all drafts, for every rule: a refused request may cost more than an accepted one.
  const broken: FieldFault[] = [];
  for (const [arrayPosition, draft] of drafts.entries()) {
    for (const fault of faultsOf(draft, tariff, routing)) broken.push({ ...fault, arrayPosition });
    if (slices.isOver) await slices.pause();
  }
  throw problemOf([...faults, ...broken]);
}

/** Undefined when it breaks a rule. */
function priced(draft: SendEntry, tariff: Tariff, routing: Routing): MessageQuote | undefined {
  const quote = quoteMessage(draft, tariff);
  return isViolation(quote) || !routing.serves(quote.destination) ? undefined : quote;
}

function faultsOf(draft: unknown, tariff: Tariff, routing: Routing): FieldFault[] {
  const strings = stringsOf(draft);
  return [...violationsOf(strings, tariff), ...routeFaults(strings, routing)].map(({ field, code, detail }) => ({
    field,
    code,
    detail,
  }));
}

function routeFaults({ recipient }: { recipient?: string }, routing: Routing): readonly FieldFault[] {
  const destination = recipient === undefined ? undefined : parseRecipient(recipient);
  return destination === undefined || routing.serves(destination) ? [] : [NO_ROUTE];
}

/** The fields of a draft that are strings; other values are faults of the shape already. */
function stringsOf(draft: unknown): { recipient?: string; message?: string } {
  const { recipient, message } = (draft ?? {}) as { recipient?: unknown; message?: unknown };
  return {
    ...(typeof recipient === 'string' && { recipient }),
    ...(typeof message === 'string' && { message }),
  };
}
