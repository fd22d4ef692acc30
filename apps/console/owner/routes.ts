import { type ComponentType, lazy } from 'react';
import paths from './paths.json';

/**
 * Each page is loaded when somebody goes there. The gateway serves the same paths, from the same file: a new page is a
 * line there and a line here.
 */
const pages: Readonly<Record<keyof typeof paths, ComponentType>> = {
  overview: lazy(() => import('./overview/overview-page.js')),
  compose: lazy(() => import('./compose/compose-page.js')),
  batch: lazy(() => import('./batch/batch-page.js')),
  messages: lazy(() => import('./messages/messages-page.js')),
  message: lazy(() => import('./messages/message-page.js')),
  inbox: lazy(() => import('./inbox/inbox-page.js')),
  scheduled: lazy(() => import('./scheduled/scheduled-page.js')),
  deposits: lazy(() => import('./money/deposits-page.js')),
  ledger: lazy(() => import('./money/ledger-page.js')),
  statements: lazy(() => import('./money/statements-page.js')),
  usage: lazy(() => import('./usage/usage-page.js')),
  suppressions: lazy(() => import('./suppressions/suppressions-page.js')),
  keys: lazy(() => import('./keys/keys-page.js')),
  webhooks: lazy(() => import('./webhooks/webhooks-page.js')),
  webhook: lazy(() => import('./webhooks/webhook-page.js')),
};

export const routes = Object.entries(pages).map(([name, Page]) => ({ path: paths[name as keyof typeof paths], Page }));
