import type { FrameLink, FrameSection } from '../shell/frame/app-frame.js';
import { t } from './words.js';

/** A page, and the use case that shows it. */
type Entry = FrameLink & { readonly needs: string };

const SECTIONS: readonly { readonly title?: string; readonly links: readonly Entry[] }[] = [
  {
    links: [
      { path: '/', label: t.overview.title, icon: 'health', needs: 'overview.show' },
      { path: '/accounts', label: t.accounts.title, icon: 'accounts', needs: 'account.list' },
      { path: '/messages', label: t.messages.title, icon: 'messages', needs: 'message.list' },
    ],
  },
  {
    title: t.navigation.traffic,
    links: [
      { path: '/carriers', label: t.carriers.title, icon: 'carriers', needs: 'carrier.list' },
      { path: '/routes', label: t.routes.title, icon: 'routes', needs: 'route.list' },
      { path: '/waiting', label: t.waiting.title, icon: 'queues', needs: 'queue.list' },
      { path: '/hold', label: t.hold.title, icon: 'holds', needs: 'hold.show' },
      { path: '/receipts', label: t.receipts.title, icon: 'check', needs: 'receipts.unmatched' },
      { path: '/inbound', label: t.inbound.title, icon: 'inbox', needs: 'inbound.list' },
    ],
  },
  {
    title: t.navigation.money,
    links: [
      { path: '/tariffs', label: t.tariffs.title, icon: 'tariffs', needs: 'tariff.list' },
      { path: '/margin', label: t.margin.title, icon: 'usage', needs: 'margin' },
      { path: '/ledger', label: t.ledger.title, icon: 'ledger', needs: 'ledger.verify' },
    ],
  },
  {
    title: t.navigation.service,
    links: [
      { path: '/webhooks', label: t.webhooks.title, icon: 'webhooks', needs: 'webhook.list' },
      { path: '/audit', label: t.audit.title, icon: 'audit', needs: 'audit' },
      { path: '/people', label: t.people.title, icon: 'people', needs: 'operator.list' },
    ],
  },
];

/** The menu of somebody who may do this. */
export function navigationOf(may: (useCase: string) => boolean): FrameSection[] {
  return SECTIONS.map(({ title, links }) => ({
    ...(title !== undefined && { title }),
    links: links.filter(({ needs }) => may(needs)),
  })).filter(({ links }) => links.length > 0);
}
