import { setTimeout as delay } from 'node:timers/promises';

interface RetryBounds {
  /** From the first try; after that, the last failure is thrown. */
  readonly giveUpAfterMs: number;
  /** Before the second try. */
  readonly waitMs: number;
  /** The wait doubles with each failure up to this; by default it stays. */
  readonly waitMaxMs?: number;
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
  { giveUpAfterMs, waitMs, waitMaxMs = waitMs }: RetryBounds,
): Promise<Result> {
  const deadlineMs = performance.now() + giveUpAfterMs;
  for (let nextMs = waitMs; ; nextMs = Math.min(nextMs * 2, waitMaxMs)) {
    try {
      return await work();
    } catch (error) {
      if (!mayRetry(error) || performance.now() > deadlineMs) throw error;
      await delay(nextMs);
    }
  }
}
