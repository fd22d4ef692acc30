import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RequestOptions } from '../../shell/api/create-api.js';
import { api } from '../session/api.js';

interface ReadSettings<Answer> {
  readonly query?: RequestOptions['query'];
  readonly isNeeded?: boolean;
  /** False: it does not change by itself. */
  readonly everyMs?: number | false | ((answer: Answer | undefined) => number | false);
}

/** Reads from the public API. The page before stays while the next one is loaded; nothing is polled in a hidden tab. */
export function useRead<Answer>(path: string, settings: ReadSettings<Answer> = {}) {
  const { query, isNeeded = true, everyMs = false } = settings;
  return useQuery<Answer>({
    queryKey: [path, query ?? {}],
    queryFn: ({ signal }) => api.request<Answer>(path, { signal, ...(query && { query }) }),
    enabled: isNeeded,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (typeof everyMs === 'function' ? everyMs(state.data) : everyMs),
  });
}
