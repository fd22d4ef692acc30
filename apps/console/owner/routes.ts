import type { ComponentType } from 'react';
import { loadLater } from '../shell/load-later.js';
import paths from './paths.json';

/**
 * Each page is loaded when somebody goes there. The gateway serves the same paths, from the same file: a new page is a
 * line there and a line here.
 */
const pages: Readonly<Record<keyof typeof paths, ComponentType>> = {
  overview: loadLater(() => import('./overview/overview-page.js')),
  compose: loadLater(() => import('./compose/compose-page.js')),
  batch: loadLater(() => import('./batch/batch-page.js')),
  messages: loadLater(() => import('./messages/messages-page.js')),
  message: loadLater(() => import('./messages/message-page.js')),
  inbox: loadLater(() => import('./inbox/inbox-page.js')),
  scheduled: loadLater(() => import('./scheduled/scheduled-page.js')),
  deposits: loadLater(() => import('./money/deposits-page.js')),
  ledger: loadLater(() => import('./money/ledger-page.js')),
  statements: loadLater(() => import('./money/statements-page.js')),
  usage: loadLater(() => import('./usage/usage-page.js')),
  suppressions: loadLater(() => import('./suppressions/suppressions-page.js')),
  keys: loadLater(() => import('./keys/keys-page.js')),
  webhooks: loadLater(() => import('./webhooks/webhooks-page.js')),
  webhook: loadLater(() => import('./webhooks/webhook-page.js')),
};

export const routes = Object.entries(pages).map(([name, Page]) => ({ path: paths[name as keyof typeof paths], Page }));
