import { useQuery } from '@tanstack/react-query';
import { api } from '../session/api.js';
import { useSession } from '../session/use-session.js';

export interface Balance {
  readonly balance: number;
  readonly currency: string;
}

/** The balance, if the key may read it. */
export function useBalance(): Balance | undefined {
  const { scopes } = useSession();
  const query = useQuery({
    queryKey: ['balance'],
    queryFn: ({ signal }) => api.request<Balance>('/v1/account/balance', { signal }),
    enabled: scopes.includes('read'),
  });
  return query.data;
}
