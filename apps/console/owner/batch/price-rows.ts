import type { Micros } from '#billing';
import type { PriceBook } from '../sending/ask-prices.js';
import type { RowFault, RowMessage } from './check-rows.js';
import { PageSlices } from './slices.js';

export interface PricedRows {
  readonly messages: readonly RowMessage[];
  /** One for each message. */
  readonly prices: readonly Micros[];
  readonly faults: readonly RowFault[];
  readonly segments: number;
  readonly total: Micros;
}

/** The price of every row, from a book that has every destination. */
export async function priceRows(
  messages: readonly RowMessage[],
  book: PriceBook,
  signal?: AbortSignal,
): Promise<PricedRows> {
  const sendable: RowMessage[] = [];
  const prices: Micros[] = [];
  const faults: RowFault[] = [];
  let segments = 0;
  let total = 0n;
  const slices = new PageSlices(signal);
  for (const message of messages) {
    const unitPrice = book.get(message.destination);
    if (typeof unitPrice === 'bigint') {
      const price = unitPrice * BigInt(message.segments);
      sendable.push(message);
      prices.push(price);
      segments += message.segments;
      total += price;
    } else if (unitPrice !== undefined) {
      const { code, detail } = unitPrice;
      faults.push({ row: message.row, recipient: message.recipient, kind: code, value: message.recipient, detail });
    }
    if (slices.isOver) await slices.pause();
  }
  return { messages: sendable, prices, faults, segments, total };
}
