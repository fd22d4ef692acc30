import { type Micros, parseMicros } from '#billing';
import { ApiError } from '../../shell/api/api-error.js';
import { MESSAGES_MAX } from './messages-max.js';
import { type RetryOptions, retrying } from './retry.js';

/** A text of one segment: the price of a segment is what is asked for. */
const ONE_SEGMENT = 'x';

interface QuotedBatch {
  readonly messages: readonly { readonly arrayPosition: number; readonly unitPrice: number }[];
}

/** `POST /v1/message/quote` of a batch. */
export type AskQuote = (body: {
  readonly messages: readonly { readonly recipient: string; readonly message: string }[];
}) => Promise<QuotedBatch>;

/** What the service says about a destination: the price of a segment, or why nothing can be sent there. */
export type DestinationPrice = Micros | { readonly code: string; readonly detail: string };

/** Prices that were asked for, by destination; kept while the columns of a file are changed. */
export type PriceBook = Map<string, DestinationPrice>;

interface AskOptions extends RetryOptions {
  /** Destinations of one question to the service. */
  readonly messagesMax?: number;
  readonly progress?: (priced: number, all: number) => void;
}

/**
 * Asks the service for the price of a segment to every destination that the book does not have.
 *
 * @param progress told how many destinations are priced, of how many
 * @throws ApiError when the service refuses the question as a whole
 */
export async function askPrices(
  wanted: Iterable<string>,
  book: PriceBook,
  ask: AskQuote,
  { messagesMax = MESSAGES_MAX, progress, ...retry }: AskOptions = {},
): Promise<void> {
  const destinations = [...new Set(wanted)];
  const unknown = destinations.filter((destination) => !book.has(destination));
  const known = destinations.length - unknown.length;
  for (let start = 0; start < unknown.length; start += messagesMax) {
    progress?.(known + start, destinations.length);
    await askChunk(unknown.slice(start, start + messagesMax), book, ask, retry);
    retry.signal?.throwIfAborted();
  }
  progress?.(destinations.length, destinations.length);
}

async function askChunk(chunk: readonly string[], book: PriceBook, ask: AskQuote, retry: RetryOptions): Promise<void> {
  let left = chunk;
  while (left.length > 0) {
    const asked = left;
    try {
      const body = { messages: asked.map((recipient) => ({ recipient, message: ONE_SEGMENT })) };
      const { messages } = await retrying(() => ask(body), retry);
      for (const { arrayPosition, unitPrice } of messages) {
        const destination = asked[arrayPosition];
        if (destination !== undefined) book.set(destination, parseMicros(String(unitPrice)));
      }
      return;
    } catch (error) {
      const refused = refusedEntries(error, asked);
      // The rest is asked again; a refusal that names no entry is of the whole question.
      if (refused.size === 0) {
        if (asked.length === 1 || !isTooLarge(error)) throw error;
        const half = Math.ceil(asked.length / 2);
        await askChunk(asked.slice(0, half), book, ask, retry);
        await askChunk(asked.slice(half), book, ask, retry);
        return;
      }
      for (const [destination, { code, detail }] of refused) book.set(destination, { code, detail });
      left = asked.filter((destination) => !refused.has(destination));
    }
  }
}

/** The operator may have lowered the limit since the session began. */
export function isTooLarge(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'batch_too_large';
}

function refusedEntries(error: unknown, asked: readonly string[]): Map<string, { code: string; detail: string }> {
  const faults = error instanceof ApiError ? error.faults : [];
  return new Map(
    faults.flatMap(({ arrayPosition, code, detail }) => {
      const destination = arrayPosition === undefined ? undefined : asked[arrayPosition];
      return destination === undefined ? [] : [[destination, { code, detail }]];
    }),
  );
}
