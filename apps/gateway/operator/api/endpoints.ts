import type { Endpoint } from './endpoint.js';
import { OPERATOR_ENDPOINTS } from './people/operators.js';
import { TOKEN_ENDPOINTS } from './people/tokens.js';
import { SESSION_ENDPOINTS } from './session/keep-session.js';
import { ME_ENDPOINTS } from './session/me.js';
import { SECOND_FACTOR_ENDPOINTS } from './session/second-factor.js';
import { startSession } from './session/start-session.js';
import { showOverview } from './show-overview.js';

/** Every endpoint of the operators' API; a topic with several has its own list. */
export const ENDPOINTS: readonly Endpoint[] = [
  startSession,
  ...SESSION_ENDPOINTS,
  ...ME_ENDPOINTS,
  ...SECOND_FACTOR_ENDPOINTS,
  ...OPERATOR_ENDPOINTS,
  ...TOKEN_ENDPOINTS,
  showOverview,
];
