import { Box, Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../api/api-error.js';
import { words } from '../words.js';
import { ErrorPanel } from './error-panel.js';

interface QueryViewProps<Data> {
  readonly query: UseQueryResult<Data>;
  /** Shown while nothing was loaded yet; three grey lines by default. */
  readonly loading?: ReactNode;
  /** Names of fields whose faults stand at them, such as filters. */
  readonly fields?: readonly string[];
  readonly children: (data: Data) => ReactNode;
}

/**
 * What a page shows while it loads, if that fails, and then. What was loaded stays when a refresh fails. What answers
 * another question, such as a filter of before, is dimmed until the answer comes.
 */
export function QueryView<Data>({ query, loading, fields = [], children }: QueryViewProps<Data>) {
  const failure = useLastFailure(query);
  if (query.data !== undefined) {
    const isBefore = query.isPlaceholderData;
    return (
      <>
        {query.isError && <ErrorPanel error={query.error} isStale onRetry={() => void query.refetch()} />}
        <Box aria-busy={isBefore} opacity={isBefore ? 0.5 : undefined}>
          {children(query.data)}
        </Box>
      </>
    );
  }
  if (query.isError) {
    const { error } = query;
    if (isOfFields(error, fields)) return null;
    // What does not exist, is not allowed or is written wrongly comes to no other answer.
    const mayChange = !(error instanceof ApiError) || error.isPassing || error.isOfSession;
    return <ErrorPanel error={error} {...(mayChange && { onRetry: () => void query.refetch() })} />;
  }
  if (failure !== undefined) return <ErrorPanel error={failure} isBusy onRetry={() => undefined} />;
  return <div aria-busy="true">{loading ?? <LoadingLines />}</div>;
}

function isOfFields(error: unknown, fields: readonly string[]): boolean {
  if (!(error instanceof ApiError) || error.faults.length === 0) return false;
  return error.faults.every(({ field }) => fields.includes(field));
}

/** A failure stays while it is asked again, or the page would change with every try; undefined after an answer. */
function useLastFailure({ status, error }: UseQueryResult<unknown>): ApiError | undefined {
  const [failure, setFailure] = useState<ApiError>();
  useEffect(() => {
    if (status !== 'pending') setFailure(error instanceof ApiError && error.isPassing ? error : undefined);
  }, [status, error]);
  return failure;
}

export function LoadingLines({ count = 3 }: { readonly count?: number }) {
  return (
    <Stack gap="sm" p="md" role="status" aria-label={words.loading}>
      {Array.from({ length: count }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: grey lines have no other name.
        <Skeleton key={line} height={14} width={`${92 - (line % 3) * 14}%`} />
      ))}
    </Stack>
  );
}
