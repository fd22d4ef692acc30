import { Injectable } from '@nestjs/common';
import { offendingCharacters } from '#billing';
import type { KeyHolder } from '#persistence';
import { TariffBook } from '../tariffs/tariff-book.js';
import type { SendRequest } from './messages.dto.js';
import { priceDrafts } from './price-drafts.js';
import type { QuoteBatchResult, QuoteEntry, QuoteRequest, QuoteResult } from './quote.dto.js';

/** USE CASE: what a send would be billed, from the same code as the send. */
@Injectable()
export class QuoteDrafts {
  constructor(private readonly tariffs: TariffBook) {}

  async quote(account: KeyHolder, request: QuoteRequest): Promise<QuoteResult | QuoteBatchResult> {
    if (request.messages === undefined) {
      const [entry] = await this.entries(account, [request], false);
      if (entry === undefined) throw new Error('a quote without an entry');
      return { ...entry, currency: account.currency };
    }
    const entries = await this.entries(account, request.messages, true);
    return {
      segments: entries.reduce((sum, { segments }) => sum + segments, 0),
      price: entries.reduce((sum, { price }) => sum + price, 0n),
      currency: account.currency,
      messages: entries.map((entry, arrayPosition) => ({ arrayPosition, ...entry })),
    };
  }

  private async entries(account: KeyHolder, drafts: readonly SendRequest[], isBatch: boolean): Promise<QuoteEntry[]> {
    const quotes = priceDrafts(drafts, await this.tariffs.tariff(account.tariffId), isBatch);
    return quotes.map(({ encoding, segments, unitPrice, price }, index) => {
      const { recipient = '', message = '' } = drafts[index] ?? {};
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
