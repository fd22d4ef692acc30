import { type ComponentType, lazy } from 'react';
import paths from './paths.json';

/** Each page is loaded when somebody goes there. The gateway serves the same paths, from the same file. */
const pages: Readonly<Record<keyof typeof paths, ComponentType>> = {
  overview: lazy(() => import('./overview/overview-page.js')),
  accounts: lazy(() => import('./accounts/accounts-page.js')),
  account: lazy(() => import('./accounts/account-page.js')),
  carriers: lazy(() => import('./carriers/carriers-page.js')),
  carrier: lazy(() => import('./carriers/carrier-page.js')),
  routes: lazy(() => import('./routes/routes-page.js')),
  messages: lazy(() => import('./messages/messages-page.js')),
  message: lazy(() => import('./messages/message-page.js')),
  waiting: lazy(() => import('./service/waiting-page.js')),
  hold: lazy(() => import('./service/hold-page.js')),
  receipts: lazy(() => import('./service/receipts-page.js')),
  inbound: lazy(() => import('./inbound/inbound-page.js')),
  tariffs: lazy(() => import('./tariffs/tariffs-page.js')),
  tariff: lazy(() => import('./tariffs/tariff-page.js')),
  margin: lazy(() => import('./margin/margin-page.js')),
  ledger: lazy(() => import('./service/ledger-page.js')),
  webhooks: lazy(() => import('./service/webhooks-page.js')),
  audit: lazy(() => import('./audit/audit-page.js')),
  people: lazy(() => import('./people/people-page.js')),
  me: lazy(() => import('./me/me-page.js')),
};

export const routes = Object.entries(pages).map(([name, Page]) => ({ path: paths[name as keyof typeof paths], Page }));
