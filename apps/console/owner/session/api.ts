import { createApi } from '../../shell/api/create-api.js';
import { createQueryClient } from '../../shell/api/query-client.js';
import { sessions } from './session.js';

export const queries = createQueryClient();

/** The public API, with the token of this tab. */
export const api = createApi({
  headers: () => {
    const state = sessions.read();
    return state.kind === 'signedIn' ? { 'x-authorization': state.session.token } : {};
  },
  onUnauthorized: () => sessions.expire(),
});
