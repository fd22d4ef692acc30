import { isViolation, type MessageQuote, parseRecipient, quoteMessage, type Tariff, violationsOf } from '#billing';
import { type FieldFault, problemOf } from '../http/problem.js';
import type { Routing } from '../routes/route-book.js';
import type { Submission } from './submission.js';

/** The same text for every number: the client knows which number it is. */
const NO_ROUTE = {
  field: 'recipient',
  code: 'no_route',
  detail: 'No carrier of this service takes messages to this destination.',
} as const satisfies FieldFault;

/**
 * Checks and prices every draft, and checks that a route serves its destination, in the same way for a send and for a
 * quote.
 *
 * @throws Problem that names every fault of the request: of its shape, of its texts and numbers, and of its
 * destinations
 */
export function priceDrafts(submission: Submission, tariff: Tariff, routing: Routing): MessageQuote[] {
  const { drafts, faults } = submission;
  if (faults.length > 0) throw refusalOf(submission, tariff, routing);
  return drafts.map((draft) => {
    const quote = quoteMessage(draft, tariff);
    if (isViolation(quote) || !routing.serves(quote.destination)) throw refusalOf(submission, tariff, routing);
    return quote;
  });
}

/** A second pass over all drafts, for every rule: a refused request may cost more than an accepted one. */
function refusalOf({ drafts, isBatch, faults }: Submission, tariff: Tariff, routing: Routing) {
  const broken = drafts.flatMap((draft: unknown, index): FieldFault[] => {
    const strings = stringsOf(draft);
    return [...violationsOf(strings, tariff), ...routeFaults(strings, routing)].map(({ field, code, detail }) => ({
      field,
      ...(isBatch && { arrayPosition: index }),
      code,
      detail,
    }));
  });
  return problemOf([...faults, ...broken]);
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
