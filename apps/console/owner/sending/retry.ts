import { ApiError } from '../../shell/api/api-error.js';

const TRIES_MAX = 6;
const WAIT_FIRST_MS = 1_000;
const WAIT_MAX_MS = 30_000;

export interface RetryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told before each wait. */
  readonly waiting?: (error: ApiError, waitMs: number) => void;
  /** Waits, unless the signal ends it; replaced in tests. */
  readonly wait?: (waitMs: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Makes a call again while that may help: no answer, too many requests, or a fault of the service. What is repeated
 * must be safe to repeat: a quote, or a send with its Idempotency-Key.
 *
 * @throws the last error, if it does not help or was tried too often
 */
export async function retrying<Answer>(call: () => Promise<Answer>, options: RetryOptions = {}): Promise<Answer> {
  const { signal, waiting, wait = waitFor } = options;
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isPassing) throw error;
      // A limit is no fault: a slow account gets through if it waits as long as the service says.
      const isLimited = error.status === 429;
      if (!isLimited && tries >= TRIES_MAX) throw error;
      const askedMs = (error.retryAfterSeconds ?? 0) * 1_000;
      const ownMs = Math.min(WAIT_FIRST_MS * 2 ** (tries - 1), WAIT_MAX_MS);
      const waitMs = isLimited ? Math.max(askedMs, WAIT_FIRST_MS) : Math.min(Math.max(askedMs, ownMs), WAIT_MAX_MS);
      waiting?.(error, waitMs);
      await wait(waitMs, signal);
      signal?.throwIfAborted();
    }
  }
}

function waitFor(waitMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
