import type { FrameSection } from '../shell/frame/app-frame.js';
import { t } from './words.js';

/** The menu of the owners' console. */
export const navigation: readonly FrameSection[] = [
  {
    links: [
      { path: '/', label: t.overview.title, icon: 'overview' },
      { path: '/compose', label: t.navigation.compose, icon: 'compose' },
      { path: '/messages', label: t.messages.title, icon: 'messages' },
      { path: '/inbox', label: t.inbox.title, icon: 'inbox' },
      { path: '/scheduled', label: t.scheduled.title, icon: 'scheduled' },
      { path: '/opt-outs', label: t.suppressions.title, icon: 'holds' },
    ],
  },
  {
    title: t.navigation.money,
    links: [
      { path: '/usage', label: t.usage.title, icon: 'usage' },
      { path: '/ledger', label: t.ledger.title, icon: 'ledger' },
      { path: '/deposits', label: t.deposits.title, icon: 'deposits' },
      { path: '/statements', label: t.statements.title, icon: 'statements' },
    ],
  },
  {
    title: t.navigation.developers,
    links: [
      { path: '/keys', label: t.keys.title, icon: 'keys' },
      { path: '/webhooks', label: t.webhooks.title, icon: 'webhooks' },
      { path: '/docs', label: t.navigation.documentation, icon: 'external', isOutside: true },
    ],
  },
];
