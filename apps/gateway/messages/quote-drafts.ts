import { Injectable } from '@nestjs/common';
import { offendingCharacters } from '#billing';
import type { KeyHolder } from '#persistence';
import { RouteBook } from '../routes/route-book.js';
import { TariffBook } from '../tariffs/tariff-book.js';
import { priceDrafts } from './price-drafts.js';
import type { QuoteBatchResult, QuoteEntry, QuoteResult } from './quote.dto.js';
import type { Submission } from './submission.js';

/** USE CASE: what a send would be billed, from the same code as the send. */
@Injectable()
export class QuoteDrafts {
  constructor(
    private readonly tariffs: TariffBook,
    private readonly routes: RouteBook,
  ) {}

  async quote(account: KeyHolder, submission: Submission): Promise<QuoteResult | QuoteBatchResult> {
    const entries = await this.entries(account, submission);
    const [first] = entries;
    if (!submission.isBatch && first !== undefined) return { ...first, currency: account.currency };
    return {
      segments: entries.reduce((sum, { segments }) => sum + segments, 0),
      price: entries.reduce((sum, { price }) => sum + price, 0n),
      currency: account.currency,
      messages: entries.map((entry, arrayPosition) => ({ arrayPosition, ...entry })),
    };
  }

  private async entries(account: KeyHolder, submission: Submission): Promise<QuoteEntry[]> {
    const tariff = await this.tariffs.tariff(account.tariffId);
    const quotes = priceDrafts(submission, tariff, await this.routes.routing());
    return quotes.map(({ encoding, segments, unitPrice, price }, index) => {
      const { recipient = '', message = '' } = submission.drafts[index] ?? {};
      return {
        recipient,
        encoding,
        offendingCharacters: offendingCharacters(message),
        length: message.length,
        segments,
        unitPrice,
        price,
      };
    });
  }
}
