import { notifyManager, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.js';

const RETRIES_MAX = 3;
const RETRY_AFTER_MAX_SECONDS = 30;

// A page hears at once that its act runs. By default it hears so after a timer, and browsers put the second click of a
// double click before that: the act was done twice.
notifyManager.setScheduler(queueMicrotask);

/**
 * Reads are tried again when that may help, and what was read stays on the page meanwhile. Writes are never repeated by
 * themselves: a page that repeats a send does it with the same Idempotency-Key. Without a network they fail at once,
 * where TanStack Query would do them when the network is back, however long that takes.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        retry: (failures, error) => failures < RETRIES_MAX && error instanceof ApiError && error.isPassing,
        retryDelay: (failures, error) => {
          const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0;
          return Math.max(Math.min(asked, RETRY_AFTER_MAX_SECONDS) * 1_000, 500 * 2 ** failures);
        },
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
