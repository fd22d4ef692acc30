import {
  buildTariff,
  isViolation,
  type MessageQuote,
  type MessageRequest,
  quoteMessage,
  type Tariff,
  violationsOf,
} from '#billing';
import { type FieldFault, problemOf } from '../http/problem.js';

/** Faults that one answer lists at most: enough to mend a batch, bounded for one that is all wrong. */
const FAULTS_MAX = 10_000;

/**
 * Checks and prices every draft, the same way for a send and for a quote.
 *
 * @param isBatch whether faults name their array position
 * @throws Problem that names every fault of every draft
 */
export function priceDrafts(drafts: readonly MessageRequest[], tariff: Tariff, isBatch: boolean): MessageQuote[] {
  const quotes: MessageQuote[] = [];
  const faults: FieldFault[] = [];
  drafts.forEach((draft, index) => {
    const quote = quoteMessage(draft, tariff);
    if (!isViolation(quote)) quotes.push(quote);
    else if (faults.length < FAULTS_MAX) {
      for (const { field, code, detail } of violationsOf(draft, tariff)) {
        faults.push({ field, ...(isBatch && { arrayPosition: index }), code, detail });
      }
    }
  });
  if (faults.length > 0) throw problemOf(faults);
  return quotes;
}

const NO_TARIFF = buildTariff([]);

/** What is wrong with those entries of a batch that have the right shape, apart from their price. */
export function contentFaults(entries: unknown): FieldFault[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown, arrayPosition) =>
    isDraft(entry)
      ? violationsOf(entry, NO_TARIFF)
          .filter(({ code }) => code !== 'no_rate')
          .map(({ field, code, detail }) => ({ field, arrayPosition, code, detail }))
      : [],
  );
}

function isDraft(entry: unknown): entry is MessageRequest {
  const { recipient, message } = (entry ?? {}) as Partial<MessageRequest>;
  return typeof recipient === 'string' && typeof message === 'string';
}
