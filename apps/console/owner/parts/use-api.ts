import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { RequestOptions } from '../../shell/api/create-api.js';
import { pageBefore } from '../../shell/api/page-before.js';
import { nextMs, slowed } from '../../shell/poll-every.js';
import { api } from '../session/api.js';

interface ReadSettings<Answer> {
  readonly query?: RequestOptions['query'];
  readonly isNeeded?: boolean;
  /** False: it does not change by itself. */
  readonly everyMs?: number | false | ((answer: Answer | undefined) => number | false);
}

/**
 * Reads from the public API. The page before stays, dimmed, while the next one is loaded; nothing is polled in a hidden
 * tab. What the page asks by itself is marked: it may wait for others that ask.
 */
export function useRead<Answer>(path: string, settings: ReadSettings<Answer> = {}) {
  const { query, isNeeded = true, everyMs = false } = settings;
  const queries = useQueryClient();
  const queryKey = [path, query ?? {}];
  return useQuery<Answer>({
    queryKey,
    queryFn: ({ signal }) => {
      const isBackground = queries.getQueryData(queryKey) !== undefined;
      return api.request<Answer>(path, { signal, isBackground, ...(query && { query }) });
    },
    enabled: isNeeded,
    placeholderData: pageBefore(path),
    refetchInterval: ({ state }) => {
      const polledMs = typeof everyMs === 'function' ? everyMs(state.data) : everyMs && slowed(everyMs, state.data);
      return nextMs(polledMs, state.error);
    },
  });
}
