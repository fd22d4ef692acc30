import type { Webhook } from '#client';
import { DoubtBadge, GoodBadge, QuietBadge } from '../parts/status-badge.js';
import { t } from '../words.js';

export function WebhookStatus({ webhook: { status } }: { readonly webhook: Webhook }) {
  const words = t.webhooks.status[status];
  if (status === 'enabled') return <GoodBadge>{words}</GoodBadge>;
  return status === 'failing' ? <DoubtBadge>{words}</DoubtBadge> : <QuietBadge>{words}</QuietBadge>;
}
