import { ApiError } from '../../shell/api/api-error.js';
import { createApi, type RequestOptions } from '../../shell/api/create-api.js';
import { createQueryClient } from '../../shell/api/query-client.js';
import { identity } from './identity.js';
import { type Me, sessions } from './session.js';

export const queries = createQueryClient();

const api = createApi({ onUnauthorized: () => sessions.expire() });

/** For the sign-in, where there is no session yet. */
export const openApi = createApi({});

/** For what reads very many messages. The service ends such a statement after ten minutes at the latest. */
export const LONG = { silenceMaxMs: 610_000 };

export function read<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  return api.request<Answer>(`/api${path}`, options);
}

/**
 * A change. If the service wants the second factor once more, the person is asked for it, and the change is made then.
 *
 * @throws ApiError when it is refused, also when the person gives nothing
 */
export async function act<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  const wanted = { method: 'POST', ...options } as const;
  try {
    return await read<Answer>(path, wanted);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'confirmation_required') throw error;
    const isGiven = await identity.ask(error.members.by === 'code' ? 'code' : 'password');
    if (!isGiven) throw error;
    return read<Answer>(path, wanted);
  }
}

/** Reads who is signed in. */
export async function loadMe(): Promise<void> {
  try {
    sessions.begin(await openApi.request<Me>('/api/me'));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) sessions.end();
    else throw error;
  }
}

/** Ends the session, and forgets all that was read with it. */
export async function leave(): Promise<void> {
  await openApi.request('/api/session', { method: 'DELETE' }).catch(() => undefined);
  sessions.end();
  queries.clear();
}
