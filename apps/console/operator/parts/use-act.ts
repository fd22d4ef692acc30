import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../shell/api/api-error.js';
import type { RequestOptions } from '../../shell/api/create-api.js';
import { useNotices } from '../../shell/frame/notices.js';
import { act } from '../session/api.js';

interface Act extends RequestOptions {
  readonly path: string;
}

/**
 * A change that a button makes: afterwards, and if no answer comes, everything on the page is read again. A failure is
 * shown at the edge of the page, unless the page shows it itself (`isQuiet`).
 */
export function useAct<Answer>(
  settings: { readonly isQuiet?: boolean; readonly onDone?: (answer: Answer) => void } = {},
) {
  const client = useQueryClient();
  const notices = useNotices();
  return useMutation<Answer, Error, Act>({
    mutationFn: ({ path, ...options }) => act<Answer>(path, options),
    onSuccess: (answer) => {
      void client.invalidateQueries();
      settings.onDone?.(answer);
    },
    onError: (error) => {
      // It may be done, although no answer says so.
      if (error instanceof ApiError && error.isUnreachable) void client.invalidateQueries();
      const isLeft = error instanceof ApiError && error.code === 'confirmation_required';
      if (settings.isQuiet !== true && !isLeft) notices.failed(error);
    },
  });
}
