import { Injectable } from '@nestjs/common';
import { type MessageQuote, offendingCharacters } from '#billing';
import type { KeyHolder } from '#persistence';
import { writtenJson } from '../http/exact-json.js';
import { Slices } from '../http/slices.js';
import { RouteBook } from '../routes/route-book.js';
import { TariffBook } from '../tariffs/tariff-book.js';
import type { SendRequest } from './messages.dto.js';
import { priceDrafts } from './price-drafts.js';
import type { QuoteBatchEntry, QuoteBatchResult, QuoteEntry, QuoteResult } from './quote.dto.js';
import type { Submission } from './submission.js';

/** USE CASE: what a send would be billed, from the same code as the send. */
@Injectable()
export class QuoteDrafts {
  constructor(
    private readonly tariffs: TariffBook,
    private readonly routes: RouteBook,
  ) {}

  async quote(account: KeyHolder, submission: Submission): Promise<QuoteResult | QuoteBatchResult> {
    const { currency } = account;
    const tariff = await this.tariffs.tariff(account.tariffId);
    const quotes = priceDrafts(submission, tariff, await this.routes.routing());
    const [first] = quotes;
    if (!submission.isBatch && first !== undefined) return { ...entryOf(first, submission.drafts[0]), currency };
    const segments = quotes.reduce((sum, quote) => sum + quote.segments, 0);
    const price = quotes.reduce((sum, quote) => sum + quote.price, 0n);
    return { segments, price, currency, messages: await entriesOf(quotes, submission) };
  }
}

/** A quote of many long texts is megabytes of JSON: it is written piece by piece, and others are served meanwhile. */
async function entriesOf(quotes: readonly MessageQuote[], { drafts }: Submission): Promise<QuoteBatchEntry[]> {
  const entries: QuoteBatchEntry[] = [];
  const slices = new Slices();
  for (const [arrayPosition, quote] of quotes.entries()) {
    entries.push(writtenJson({ arrayPosition, ...entryOf(quote, drafts[arrayPosition]) }));
    if (slices.isOver) await slices.pause();
  }
  return entries;
}

function entryOf(
  { encoding, segments, unitPrice, price }: MessageQuote,
  { recipient = '', message = '' }: Partial<SendRequest> = {},
): QuoteEntry {
  return {
    recipient,
    encoding,
    offendingCharacters: offendingCharacters(message),
    length: message.length,
    segments,
    unitPrice,
    price,
  };
}
