import { Drawer, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { formatAgo, formatDuration, formatRecent } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { ConfirmDialog } from '../../shell/states/confirm-dialog.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { AccountLink } from '../parts/account-link.js';
import { Hidden } from '../parts/hidden.js';
import { RowMenu } from '../parts/row-menu.js';
import { StateWord } from '../parts/state-word.js';
import { useAct } from '../parts/use-act.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';

interface Webhook {
  readonly endpointId: string;
  readonly accountId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly disabledAt: string | null;
  readonly disabledReason: string | null;
  readonly failingSince: string | null;
  readonly lastSuccessAt: string | null;
  readonly lastError: string | null;
}

interface Attempt {
  readonly attemptId: string;
  readonly at: string;
  readonly type: string;
  readonly outcome: string;
  readonly httpStatus?: number | null;
  readonly error?: string | null;
  readonly durationMs: number;
}

export default function WebhooksPage() {
  const may = useMay();
  const notices = useNotices();
  const webhooks = usePolled<readonly Webhook[]>('/webhooks', { everyMs: SLOW_MS });
  const [shown, setShown] = useState<Webhook>();
  const [asked, setAsked] = useState<Webhook>();
  const change = useAct<Webhook>({
    onDone: ({ disabledAt }) => {
      setAsked(undefined);
      notices.done(disabledAt === null ? t.webhooks.enabled : t.webhooks.disabledDone);
    },
  });
  const columns: readonly Column<Webhook>[] = [
    { key: 'account', head: t.webhooks.account, cell: ({ accountId }) => <AccountLink accountId={accountId} /> },
    { key: 'url', head: t.webhooks.url, isMain: true, cell: ({ url }) => <span title={url}>{url}</span> },
    { key: 'state', head: t.webhooks.state, cell: stateOf },
    {
      key: 'success',
      head: t.webhooks.lastSuccess,
      isNumber: true,
      wideOnly: true,
      cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? t.webhooks.never : formatAgo(lastSuccessAt)),
    },
    { key: 'error', head: t.webhooks.lastError, wideOnly: true, cell: ({ lastError }) => lastError ?? '–' },
    {
      key: 'acts',
      head: <Hidden>{t.actions}</Hidden>,
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
            <DataTable
              label={t.webhooks.title}
              columns={columns}
              rows={rows}
              keyOf={({ endpointId }) => endpointId}
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
        size="lg"
      >
        {shown !== undefined && <Attempts webhook={shown} />}
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

function stateOf({ disabledAt, disabledReason, failingSince }: Webhook) {
  if (disabledAt !== null) {
    const why = t.webhooks.by[disabledReason ?? ''] ?? '';
    return <StateWord tone="quiet" word={`${t.webhooks.disabled} ${why}`.trim()} />;
  }
  if (failingSince !== null)
    return <StateWord tone="warn" word={`${t.webhooks.failing}, ${formatAgo(failingSince)}`} />;
  return <StateWord tone="good" word={t.webhooks.on} />;
}

function Attempts({ webhook: { endpointId, url } }: { readonly webhook: Webhook }) {
  const details = usePolled<{ readonly attempts: readonly Attempt[] }>(`/webhooks/${endpointId}`, {
    everyMs: SLOW_MS,
  });
  const columns: readonly Column<Attempt>[] = [
    { key: 'at', head: t.webhooks.at, cell: ({ at }) => <span className="number">{formatRecent(at)}</span> },
    { key: 'type', head: t.webhooks.type, isMain: true, cell: ({ type }) => type },
    {
      key: 'outcome',
      head: t.webhooks.outcome,
      cell: ({ outcome }) => (
        <StateWord
          tone={outcome === 'delivered' ? 'good' : outcome === 'failed' ? 'warn' : 'bad'}
          word={t.webhooks.outcomes[outcome] ?? outcome}
        />
      ),
    },
    { key: 'status', head: t.webhooks.status, cell: ({ httpStatus, error }) => httpStatus ?? error ?? '–' },
    { key: 'took', head: t.webhooks.took, isNumber: true, cell: ({ durationMs }) => formatDuration(durationMs) },
  ];
  return (
    <Stack gap="sm">
      <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
        {url}
      </Text>
      <QueryView query={details}>
        {({ attempts }) => (
          <DataTable
            label={t.webhooks.attempts}
            columns={columns}
            rows={attempts}
            keyOf={({ attemptId }) => String(attemptId)}
            empty={<EmptyState icon="check" title={t.webhooks.noAttempts} />}
          />
        )}
      </QueryView>
    </Stack>
  );
}
