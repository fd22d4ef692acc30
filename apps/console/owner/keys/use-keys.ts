import { useQuery } from '@tanstack/react-query';
import type { ApiKey, ApiKeyList } from '#client';
import { api } from '../session/api.js';

const PATH = '/v1/account/keys';
/** Of a page, the most that the API gives. */
const ROWS = 100;

/** All keys of the account, newest first: a key that works may be older than a hundred that have ended. */
export function useKeys() {
  return useQuery<readonly ApiKey[]>({
    queryKey: [PATH],
    queryFn: async ({ signal }) => {
      const keys: ApiKey[] = [];
      for (let page = 1; ; page += 1) {
        const { data, pagination } = await api.request<ApiKeyList>(PATH, { signal, query: { page, limit: ROWS } });
        keys.push(...data);
        if (page >= pagination.total_pages) return keys;
      }
    },
  });
}
