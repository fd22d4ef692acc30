import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Micros } from '#billing';
import { faultRefusal } from '../../shell/api/refusal.js';
import { askPrices, type PriceBook } from '../sending/ask-prices.js';
import { askQuote } from '../sending/calls.js';

export interface UnitPrices {
  /** Of one segment to all of them; undefined while it is asked for. */
  readonly total: Micros | undefined;
  /** The recipients to which nothing can be sent, and why. */
  readonly refused: readonly { readonly recipient: string; readonly reason: string }[];
  readonly error: unknown;
}

const WAIT_MS = 300;

/**
 * What one segment costs to each of the recipients. The text changes at every key; the recipients seldom do.
 *
 * @param messagesMax of one request
 */
export function useUnitPrices(destinations: readonly string[], messagesMax: number): UnitPrices {
  const [book] = useState<PriceBook>(() => new Map());
  const [settled] = useDebouncedValue(destinations.join(' '), WAIT_MS);
  const query = useQuery({
    queryKey: ['unit-prices', settled],
    queryFn: async ({ signal }) => {
      // What was refused may have a price by now, or a carrier.
      for (const [destination, price] of book) if (typeof price !== 'bigint') book.delete(destination);
      await askPrices(settled.split(' '), book, askQuote, { signal, messagesMax });
      return [...book.entries()];
    },
    enabled: settled !== '',
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const prices = new Map(query.data);
  const refused: { recipient: string; reason: string }[] = [];
  let total: Micros | undefined = 0n;
  for (const destination of destinations) {
    const price = prices.get(destination);
    if (typeof price === 'bigint') total = total === undefined ? undefined : total + price;
    else if (price === undefined) total = undefined;
    else refused.push({ recipient: destination, reason: faultRefusal(price).text });
  }
  return { total, refused, error: query.error };
}
