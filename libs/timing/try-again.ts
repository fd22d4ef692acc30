import { setTimeout as delay } from 'node:timers/promises';

interface RetryBounds {
  /** From the first try; after that, the last failure is thrown. */
  readonly giveUpAfterMs: number;
  /** After each failure. */
  readonly waitMs: number;
}

/**
 * Does something until it succeeds.
 *
 * @param mayRetry whether a failure can pass by itself
 * @throws the failure that cannot pass, or the last one when the time is over
 */
export async function tryAgain<Result>(
  work: () => Promise<Result>,
  mayRetry: (error: unknown) => boolean,
  { giveUpAfterMs, waitMs }: RetryBounds,
): Promise<Result> {
  const deadlineMs = performance.now() + giveUpAfterMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!mayRetry(error) || performance.now() > deadlineMs) throw error;
      await delay(waitMs);
    }
  }
}
