import { isViolation, type MessageQuote, quoteMessage, type Tariff, violationsOf } from '#billing';
import { type FieldFault, problemOf } from '../http/problem.js';
import type { Submission } from './submission.js';

/**
 * Checks and prices every draft, the same way for a send and for a quote.
 *
 * @throws Problem that names every fault of the request: of its shape, of its texts and numbers, and of its destinations
 */
export function priceDrafts(submission: Submission, tariff: Tariff): MessageQuote[] {
  const { drafts, faults } = submission;
  if (faults.length > 0) throw refusalOf(submission, tariff);
  return drafts.map((draft) => {
    const quote = quoteMessage(draft, tariff);
    if (isViolation(quote)) throw refusalOf(submission, tariff);
    return quote;
  });
}

/** One more pass over all drafts, now for every rule: a request that is refused may cost more than one that is taken. */
function refusalOf({ drafts, isBatch, faults }: Submission, tariff: Tariff) {
  const broken = drafts.flatMap((draft: unknown, index): FieldFault[] =>
    violationsOf(stringsOf(draft), tariff).map(({ field, code, detail }) => ({
      field,
      ...(isBatch && { arrayPosition: index }),
      code,
      detail,
    })),
  );
  return problemOf([...faults, ...broken]);
}

/** The fields of a draft that rules can be checked of; what is no string has a fault of shape already. */
function stringsOf(draft: unknown): { recipient?: string; message?: string } {
  const { recipient, message } = (draft ?? {}) as { recipient?: unknown; message?: unknown };
  return {
    ...(typeof recipient === 'string' && { recipient }),
    ...(typeof message === 'string' && { message }),
  };
}
