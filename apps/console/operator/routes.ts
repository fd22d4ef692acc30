import type { ComponentType } from 'react';
import { loadLater } from '../shell/load-later.js';
import paths from './paths.json';

/** Each page is loaded when somebody goes there. The gateway serves the same paths, from the same file. */
const pages: Readonly<Record<keyof typeof paths, ComponentType>> = {
  overview: loadLater(() => import('./overview/overview-page.js')),
  accounts: loadLater(() => import('./accounts/accounts-page.js')),
  account: loadLater(() => import('./accounts/account-page.js')),
  carriers: loadLater(() => import('./carriers/carriers-page.js')),
  carrier: loadLater(() => import('./carriers/carrier-page.js')),
  routes: loadLater(() => import('./routes/routes-page.js')),
  messages: loadLater(() => import('./messages/messages-page.js')),
  message: loadLater(() => import('./messages/message-page.js')),
  waiting: loadLater(() => import('./service/waiting-page.js')),
  hold: loadLater(() => import('./service/hold-page.js')),
  receipts: loadLater(() => import('./service/receipts-page.js')),
  inbound: loadLater(() => import('./inbound/inbound-page.js')),
  tariffs: loadLater(() => import('./tariffs/tariffs-page.js')),
  tariff: loadLater(() => import('./tariffs/tariff-page.js')),
  margin: loadLater(() => import('./margin/margin-page.js')),
  ledger: loadLater(() => import('./service/ledger-page.js')),
  webhooks: loadLater(() => import('./service/webhooks-page.js')),
  audit: loadLater(() => import('./audit/audit-page.js')),
  people: loadLater(() => import('./people/people-page.js')),
  me: loadLater(() => import('./me/me-page.js')),
};

export const routes = Object.entries(pages).map(([name, Page]) => ({ path: paths[name as keyof typeof paths], Page }));
