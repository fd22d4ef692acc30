import { ACCOUNT_ENDPOINTS } from './accounts/account-endpoints.js';
import { KEY_ENDPOINTS } from './accounts/key-endpoints.js';
import { MONEY_ENDPOINTS } from './accounts/money-endpoints.js';
import { TARIFF_ENDPOINTS } from './accounts/tariff-endpoints.js';
import { MARGIN_ENDPOINTS } from './books/margin-endpoints.js';
import { RECONCILE_ENDPOINTS } from './books/reconcile-endpoints.js';
import { STATEMENT_ENDPOINTS } from './books/statement-endpoints.js';
import { CARRIER_ENDPOINTS } from './carriers/carrier-endpoints.js';
import { ROUTE_ENDPOINTS } from './carriers/route-endpoints.js';
import type { Endpoint } from './endpoint.js';
import { GUARD_ENDPOINTS } from './guards/guard-endpoints.js';
import { INBOUND_ENDPOINTS } from './messages/inbound-endpoints.js';
import { MESSAGE_ENDPOINTS } from './messages/message-endpoints.js';
import { OPERATOR_ENDPOINTS } from './people/operators.js';
import { TOKEN_ENDPOINTS } from './people/tokens.js';
import { PRIVACY_ENDPOINTS } from './service/privacy-endpoints.js';
import { SERVICE_ENDPOINTS } from './service/service-endpoints.js';
import { SETTINGS_ENDPOINTS } from './service/settings-endpoints.js';
import { SESSION_ENDPOINTS } from './session/keep-session.js';
import { ME_ENDPOINTS } from './session/me.js';
import { SECOND_FACTOR_ENDPOINTS } from './session/second-factor.js';
import { startSession } from './session/start-session.js';
import { showOverview } from './show-overview.js';
import { WEBHOOK_ENDPOINTS } from './webhooks/webhook-endpoints.js';

/** Every endpoint of the operators' API; a topic with several has its own list. */
export const ENDPOINTS: readonly Endpoint[] = [
  startSession,
  ...SESSION_ENDPOINTS,
  ...ME_ENDPOINTS,
  ...SECOND_FACTOR_ENDPOINTS,
  ...OPERATOR_ENDPOINTS,
  ...TOKEN_ENDPOINTS,
  showOverview,
  ...ACCOUNT_ENDPOINTS,
  ...MONEY_ENDPOINTS,
  ...STATEMENT_ENDPOINTS,
  ...RECONCILE_ENDPOINTS,
  ...MARGIN_ENDPOINTS,
  ...KEY_ENDPOINTS,
  ...GUARD_ENDPOINTS,
  ...TARIFF_ENDPOINTS,
  ...CARRIER_ENDPOINTS,
  ...ROUTE_ENDPOINTS,
  ...MESSAGE_ENDPOINTS,
  ...INBOUND_ENDPOINTS,
  ...SERVICE_ENDPOINTS,
  ...SETTINGS_ENDPOINTS,
  ...PRIVACY_ENDPOINTS,
  ...WEBHOOK_ENDPOINTS,
];
