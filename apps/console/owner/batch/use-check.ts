import { useEffect, useRef, useState } from 'react';
import { askPrices, type PriceBook } from '../sending/ask-prices.js';
import { askQuote } from '../sending/calls.js';
import { checkRows, type RowFault, type RowMessage } from './check-rows.js';
import type { Plan } from './plan.js';
import { type PricedRows, priceRows } from './price-rows.js';

/** Every row, checked and priced. */
export interface CheckedFile extends PricedRows {
  readonly rows: number;
  readonly faults: readonly RowFault[];
  /** Rows whose number stands in an earlier row. */
  readonly repeated: readonly RowMessage[];
  readonly extended: number;
}

export type CheckState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'checking'; readonly step: 'rows' | 'prices'; readonly share: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'checked'; readonly result: CheckedFile };

/** Somebody who types a template is not checked at every key. */
const WAIT_MS = 250;

interface Check {
  readonly state: CheckState;
  readonly again: () => void;
}

/**
 * Checks the file again whenever the plan changes. Prices that are known are not asked for again.
 *
 * @param messagesMax of one request
 */
export function useCheck(plan: Plan | undefined, messagesMax: number): Check {
  const [state, setState] = useState<CheckState>({ kind: 'idle' });
  const [attempt, setAttempt] = useState(0);
  const book = useRef<PriceBook>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is the same check once more.
  useEffect(() => {
    if (plan?.mapping === undefined) {
      setState({ kind: 'idle' });
      return;
    }
    const stop = new AbortController();
    setState({ kind: 'checking', step: 'rows', share: 0 });
    const timer = setTimeout(() => {
      const pricing = (share: number) => setState({ kind: 'checking', step: 'prices', share });
      checkFile(plan, book.current, { signal: stop.signal, messagesMax, pricing }).then(
        (result) => setState({ kind: 'checked', result }),
        (error: unknown) => {
          if (!stop.signal.aborted) setState({ kind: 'failed', error });
        },
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [plan, messagesMax, attempt]);
  return { state, again: () => setAttempt((count) => count + 1) };
}

interface CheckOptions {
  readonly signal: AbortSignal;
  readonly messagesMax: number;
  readonly pricing: (share: number) => void;
}

async function checkFile(
  { rows, columns, mapping }: Plan,
  book: PriceBook,
  { signal, messagesMax, pricing }: CheckOptions,
): Promise<CheckedFile> {
  if (mapping === undefined) throw new Error('the plan is not whole');
  const checked = await checkRows(rows, mapping, columns, signal);
  const destinations = checked.messages.map(({ destination }) => destination);
  await askPrices(destinations, book, askQuote, {
    signal,
    messagesMax,
    progress: (priced, all) => pricing(all === 0 ? 1 : priced / all),
  });
  const priced = await priceRows(checked.messages, book, signal);
  return {
    ...priced,
    rows: rows.length,
    faults: [...checked.faults, ...priced.faults],
    repeated: priced.messages.filter(({ repeats }) => repeats !== undefined),
    extended: priced.messages.reduce((count, { isExtended }) => count + Number(isExtended), 0),
  };
}
