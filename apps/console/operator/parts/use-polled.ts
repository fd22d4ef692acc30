import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { RequestOptions } from '../../shell/api/create-api.js';
import { pageBefore } from '../../shell/api/page-before.js';
import { nextMs, slowed } from '../../shell/poll-every.js';
import { LONG, queries, read } from '../session/api.js';

interface PollSettings {
  /** Undefined: it is read once, and when the person comes back to the page, or when it has failed. */
  readonly everyMs?: number;
  readonly query?: RequestOptions['query'];
  readonly isOn?: boolean;
  /** The audit log keeps each reading, so nothing but a person makes one. */
  readonly isRecorded?: boolean;
  /** It reads very many messages, which may take minutes. */
  readonly isLong?: boolean;
}

/**
 * Nothing repeats the reading: not a tab that is shown again, not the network that is back, no change after which
 * pages are read again. What was read is forgotten with its page, so that another wish to see it is another reading.
 */
const READ_ONCE = { staleTime: 'static', gcTime: 0, refetchInterval: false } as const;

/**
 * Reads a part of the API, and reads it again while somebody looks. What the page asks by itself is marked, so that it
 * does not keep the session of an absent person alive. For some seconds after a click or a key, nobody is absent.
 */
export function usePolled<Answer>(
  path: string,
  { everyMs, query = {}, isOn = true, isRecorded = false, isLong = false }: PollSettings = {},
): UseQueryResult<Answer> {
  const queryKey = [path, query];
  return useQuery<Answer>({
    queryKey,
    queryFn: ({ signal }) => {
      const isBackground = queries.getQueryData(queryKey) !== undefined && !navigator.userActivation.isActive;
      return read<Answer>(path, { query, signal, isBackground, ...(isLong && LONG) });
    },
    enabled: isOn,
    placeholderData: pageBefore(path),
    refetchInterval: ({ state }) => nextMs(everyMs && slowed(everyMs, state.data), state.error),
    ...(isRecorded && READ_ONCE),
  });
}

/** How often a page asks again that shows what workers report, which they do every two seconds. */
export const LIVE_MS = 3_000;
export const OVERVIEW_MS = 5_000;
export const SLOW_MS = 15_000;
/** What is examined for all consoles together. */
export const DOCTOR_MS = 30_000;
