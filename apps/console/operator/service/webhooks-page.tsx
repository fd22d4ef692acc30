import { Drawer, Text } from '@mantine/core';
import { useState } from 'react';
import { formatAgo, formatRecent } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { useFocusBack } from '../../shell/states/use-focus-back.js';
import { type Column } from '../../shell/table/data-table.js';
import { RowMenu } from '../../shell/table/row-menu.js';
import { AccountLink } from '../parts/account-link.js';
import { FoundTable } from '../parts/found-table.js';
import { StateWord } from '../parts/state-word.js';
import { useAct } from '../parts/use-act.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { WebhookAttempts } from './webhook-attempts.js';

interface Webhook {
  readonly endpointId: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly disabledAt: string | null;
  readonly disabledReason: string | null;
  readonly failingSince: string | null;
  readonly lastSuccessAt: string | null;
  readonly lastError: string | null;
}

export default function WebhooksPage() {
  const may = useMay();
  const notices = useNotices();
  const webhooks = usePolled<readonly Webhook[]>('/webhooks', { everyMs: SLOW_MS });
  const [shown, setShown] = useState<Webhook>();
  // Mantine gives the focus back to the item of the menu, which is gone.
  useFocusBack(shown !== undefined);
  const [asked, setAsked] = useState<Webhook>();
  const change = useAct<Webhook>({
    onDone: ({ disabledAt }) => {
      setAsked(undefined);
      notices.done(disabledAt === null ? t.webhooks.enabled : t.webhooks.disabledDone);
    },
  });
  const columns: readonly Column<Webhook>[] = [
    {
      key: 'account',
      head: t.webhooks.account,
      cell: ({ accountId, accountName }) => <AccountLink accountId={accountId} name={accountName} />,
    },
    { key: 'url', head: t.webhooks.url, isMain: true, cell: ({ url }) => <span title={url}>{url}</span> },
    { key: 'state', head: t.webhooks.state, cell: stateOf },
    {
      key: 'success',
      head: t.webhooks.lastSuccess,
      isNumber: true,
      wideOnly: true,
      cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? t.webhooks.never : formatAgo(lastSuccessAt)),
    },
    {
      key: 'error',
      head: t.webhooks.lastError,
      wideOnly: true,
      isProse: true,
      cell: ({ lastError }) => lastError ?? '–',
    },
    {
      key: 'acts',
      head: t.actions,
      isHeadHidden: true,
      cell: (webhook) => (
        <RowMenu
          label={`${t.more}: ${webhook.url}`}
          acts={[
            { label: t.webhooks.attempts, onClick: () => setShown(webhook), isOffered: may('webhook.show') },
            {
              label: t.webhooks.disable,
              onClick: () => setAsked(webhook),
              isOffered: webhook.disabledAt === null && may('webhook.disable'),
            },
            {
              label: t.webhooks.enable,
              onClick: () => change.mutate({ path: `/webhooks/${webhook.endpointId}/enable` }),
              isOffered: webhook.disabledAt !== null && may('webhook.enable'),
            },
          ]}
        />
      ),
    },
  ];
  return (
    <>
      <PageHead title={t.webhooks.title} about={t.webhooks.about} actions={<UpdatedNote query={webhooks} />} />
      <Panel flush>
        <QueryView query={webhooks}>
          {(rows) => (
            <FoundTable
              label={t.webhooks.title}
              columns={columns}
              rows={rows}
              keyOf={({ endpointId }) => endpointId}
              textOf={textOf}
              empty={<EmptyState icon="webhooks" title={t.webhooks.none} />}
            />
          )}
        </QueryView>
      </Panel>
      <Drawer
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={t.webhooks.attempts}
        position="right"
        size="xl"
      >
        {shown !== undefined && (
          <WebhookAttempts endpointId={shown.endpointId} url={shown.url} isOn={shown.disabledAt === null} />
        )}
      </Drawer>
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={t.webhooks.disableTitle}
        act={t.webhooks.disable}
        isDangerous
        isBusy={change.isPending}
        onConfirm={() => asked !== undefined && change.mutate({ path: `/webhooks/${asked.endpointId}/disable` })}
        onClose={() => setAsked(undefined)}
      >
        {t.webhooks.disableAbout(asked?.url ?? '')}
      </ConfirmDialog>
    </>
  );
}

function textOf({ accountId, accountName, url, disabledAt, failingSince, lastError }: Webhook): string {
  const state = disabledAt !== null ? t.webhooks.disabled : failingSince !== null ? t.webhooks.failing : t.webhooks.on;
  return [accountId, accountName, url, state, lastError].join(' ');
}

function stateOf({ disabledAt, disabledReason, failingSince }: Webhook) {
  if (disabledAt !== null) {
    const why = t.webhooks.by[disabledReason ?? ''] ?? '';
    return <StateWord tone="quiet" word={`${t.webhooks.disabled} ${why}`.trim()} />;
  }
  if (failingSince !== null) {
    return (
      <>
        <StateWord tone="warn" word={t.webhooks.failing} />{' '}
        <Text component="span" size="xs" c="dimmed">
          {t.webhooks.since(formatRecent(failingSince))}
        </Text>
      </>
    );
  }
  return <StateWord tone="good" word={t.webhooks.on} />;
}
