import { Button } from '@mantine/core';
import { formatAgo, formatRecent } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { useAct } from '../parts/use-act.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { t } from '../words.js';
import { browserName } from './browser-name.js';

interface Session {
  readonly sessionId: string;
  readonly startedAt: string;
  readonly lastSeenAt: string;
  readonly address: string;
  readonly userAgent: string;
  readonly isCurrent: boolean;
}

/** Where the person is signed in. */
export function SessionTable() {
  const notices = useNotices();
  const sessions = usePolled<{ readonly data: readonly Session[] }>('/me/sessions', { everyMs: SLOW_MS });
  const end = useAct<{ readonly ended: number }>({ onDone: ({ ended }) => notices.done(t.me.sessions.ended(ended)) });
  const columns: readonly Column<Session>[] = [
    {
      key: 'browser',
      head: t.me.sessions.browser,
      isMain: true,
      cell: ({ userAgent }) => <span title={userAgent}>{browserName(userAgent) || t.me.sessions.unknown}</span>,
    },
    {
      key: 'address',
      head: t.me.sessions.address,
      wideOnly: true,
      cell: ({ address }) => <span className="number">{address}</span>,
    },
    {
      key: 'started',
      head: t.me.sessions.started,
      isNumber: true,
      wideOnly: true,
      cell: ({ startedAt }) => formatRecent(startedAt),
    },
    { key: 'seen', head: t.me.sessions.seen, isNumber: true, cell: ({ lastSeenAt }) => formatAgo(lastSeenAt) },
    {
      key: 'acts',
      head: t.actions,
      isHeadHidden: true,
      cell: ({ sessionId, isCurrent, address }) =>
        isCurrent ? (
          t.me.sessions.here
        ) : (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`${t.me.sessions.end}: ${address}`}
            onClick={() => end.mutate({ path: `/me/sessions/${sessionId}`, method: 'DELETE' })}
          >
            {t.me.sessions.end}
          </Button>
        ),
    },
  ];
  const others = sessions.data?.data.some(({ isCurrent }) => !isCurrent) ?? false;
  return (
    <Panel
      title={t.me.sessions.title}
      actions={
        others && (
          <Button
            size="xs"
            variant="default"
            onClick={() => end.mutate({ path: '/me/sessions/others', method: 'DELETE' })}
          >
            {t.me.sessions.endOthers}
          </Button>
        )
      }
      flush
    >
      <QueryView query={sessions}>
        {({ data }) => (
          <DataTable
            label={t.me.sessions.title}
            columns={columns}
            rows={data}
            keyOf={({ sessionId }) => sessionId}
            empty={<EmptyState icon="people" title={t.me.sessions.empty} />}
          />
        )}
      </QueryView>
    </Panel>
  );
}
