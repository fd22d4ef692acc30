import { Alert, Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { WebhookList } from '#client';
import { formatAgo } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { DataTable } from '../../shell/table/data-table.js';
import { useRead } from '../parts/use-api.js';
import { useSession } from '../session/use-session.js';
import { t } from '../words.js';
import { MakeWebhook } from './make-webhook.js';
import { WebhookStatus } from './webhook-status.js';

export default function WebhooksPage() {
  const mayManage = useSession().scopes.includes('manage');
  const [isMaking, setIsMaking] = useState(false);
  return (
    <>
      <PageHead
        title={t.webhooks.title}
        about={t.webhooks.about}
        actions={mayManage && <Button onClick={() => setIsMaking(true)}>{t.webhooks.make}</Button>}
      />
      {mayManage ? (
        <WebhookTable />
      ) : (
        <Alert icon={<Icon name="webhooks" />} color="gray">
          {t.webhooks.forbidden}
        </Alert>
      )}
      {isMaking && <MakeWebhook onClose={() => setIsMaking(false)} />}
    </>
  );
}

function WebhookTable() {
  const list = useRead<WebhookList>('/v1/webhooks', { everyMs: 15_000 });
  const { columns: heads, none } = t.webhooks;
  return (
    <Panel flush>
      <QueryView query={list}>
        {({ data }) => (
          <DataTable
            label={t.webhooks.title}
            rows={data}
            keyOf={({ id }) => id}
            empty={
              <EmptyState icon="webhooks" title={none.title}>
                {none.about}
              </EmptyState>
            }
            columns={[
              {
                key: 'url',
                head: heads.url,
                isMain: true,
                cell: ({ id, url, description }) => (
                  <Anchor component={Link} href={`/webhooks/${id}`} title={url}>
                    {description === '' ? url : `${description} · ${url}`}
                  </Anchor>
                ),
              },
              { key: 'status', head: heads.status, cell: (webhook) => <WebhookStatus webhook={webhook} /> },
              {
                key: 'events',
                head: heads.events,
                isNumber: true,
                wideOnly: true,
                cell: ({ events }) => t.webhooks.eventsCount(events.length),
              },
              {
                key: 'last',
                head: heads.last,
                isNumber: true,
                wideOnly: true,
                cell: ({ lastSuccessAt: at }) => (at === null ? t.webhooks.never : formatAgo(at)),
              },
            ]}
          />
        )}
      </QueryView>
    </Panel>
  );
}
