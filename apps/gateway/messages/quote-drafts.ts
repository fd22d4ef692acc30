import { Injectable } from '@nestjs/common';
import { type MessageQuote, offendingCharacters } from '#billing';
import type { KeyHolder } from '#persistence';
import { exactJson, withJson } from '../http/exact-json.js';
import { Slices } from '../http/slices.js';
import { RouteBook } from '../routes/route-book.js';
import { TariffBook } from '../tariffs/tariff-book.js';
import type { SendEntry } from './messages.dto.js';
import { priceDrafts } from './price-drafts.js';
import type { QuoteBatchResult, QuoteEntry, QuoteResult } from './quote.dto.js';
import type { Submission } from './submission.js';

/** USE CASE: the price of a send, from the same code as the send. */
@Injectable()
export class QuoteDrafts {
  constructor(
    private readonly tariffs: TariffBook,
    private readonly routes: RouteBook,
  ) {}

  async quote(account: KeyHolder, submission: Submission): Promise<QuoteResult | QuoteBatchResult> {
    const { currency } = account;
    const tariff = await this.tariffs.tariff(account.tariffId);
    const routing = await this.routes.routing();
    const quotes = await priceDrafts(submission, tariff, routing);
    const [first] = quotes;
    if (!submission.isBatch && first !== undefined) return { ...entryOf(first, submission.drafts[0]), currency };
    const segments = quotes.reduce((sum, quote) => sum + quote.segments, 0);
    const price = quotes.reduce((sum, quote) => sum + quote.price, 0n);
    const sums = { segments, price, currency };
    return withJson({ ...sums, messages: [] }, await writtenQuote(sums, quotes, submission));
  }
}

/**
 * The quote of many long texts is megabytes of JSON, so it is written in pieces, and other requests are served in
 * between.
 */
async function writtenQuote(
  sums: Omit<QuoteBatchResult, 'messages'>,
  quotes: readonly MessageQuote[],
  { drafts }: Submission,
): Promise<Buffer> {
  const pieces = [Buffer.from(`${exactJson(sums).slice(0, -1)},"messages":[`)];
  const slices = new Slices();
  for (const [arrayPosition, quote] of quotes.entries()) {
    const { offendingCharacters: offenders, ...entry } = entryOf(quote, drafts[arrayPosition]);
    const begin = `${arrayPosition === 0 ? '' : ','}${exactJson({ arrayPosition, ...entry }).slice(0, -1)}`;
    // These hold no amount, and JSON.stringify takes a sixth of the time of exactJson.
    pieces.push(Buffer.from(`${begin},"offendingCharacters":${JSON.stringify(offenders)}}`));
    if (slices.isOver) await slices.pause();
  }
  pieces.push(Buffer.from(']}'));
  return Buffer.concat(pieces);
}

function entryOf(
  { encoding, segments, unitPrice, price }: MessageQuote,
  { recipient = '', message = '' }: Partial<SendEntry> = {},
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
