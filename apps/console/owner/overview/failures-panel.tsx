import { Anchor, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { MessageOrder, MessageOrderList, Usage } from '#client';
import { formatCount } from '../../shell/format-numbers.js';
import { PANEL_SIDES, Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { DataTable } from '../../shell/table/data-table.js';
import { reasonWords } from '../parts/reason-words.js';
import { StatusBadge } from '../parts/status-badge.js';
import { api } from '../session/api.js';
import { groupUsage } from '../usage/usage-sums.js';
import { t } from '../words.js';

const PATH = '/v1/account/messages';
const SHOWN_MAX = 6;
const LISTED_MAX = 100;

const NONE: Pick<MessageOrderList, 'data'> = { data: [] };

interface FailureGroup {
  readonly status: MessageOrder['external_status'];
  readonly why: string;
  readonly count: number;
}

export function FailuresPanel({ usage }: { readonly usage: Usage }) {
  const counts = groupUsage(usage.data, 'status');
  const of = (status: MessageOrder['external_status']) =>
    counts.find(({ name }) => name === status)?.sums.messages ?? 0;
  const failed = useNewest('failed', of('failed'));
  const undelivered = useNewest('undelivered', of('undelivered'));
  const unknown = useNewest('unknown', of('unknown'));
  const { failures, failureColumns: heads, noFailures } = t.overview;
  const lists = [undelivered, failed, unknown].map(({ data }) => data?.data ?? []);
  const groups = groupsOf(lists.flat());
  return (
    <Panel title={failures} flush>
      <QueryView
        query={[undelivered, failed, unknown].find(({ isPending, isError }) => isPending || isError) ?? undelivered}
      >
        {() => (
          <DataTable
            label={failures}
            rows={groups.slice(0, SHOWN_MAX)}
            keyOf={({ status, why }) => `${status} ${why}`}
            empty={
              <EmptyState icon="check" title={noFailures.title}>
                {noFailures.about}
              </EmptyState>
            }
            columns={[
              {
                key: 'status',
                head: t.messages.columns.status,
                cell: ({ status }) => (
                  <Anchor component={Link} href={`/messages?status=${status}`} c="inherit" underline="hover">
                    <StatusBadge status={status} />
                  </Anchor>
                ),
              },
              { key: 'why', head: heads.reason, isProse: true, cell: ({ why }) => why },
              { key: 'count', head: heads.count, isNumber: true, cell: ({ count }) => formatCount(count) },
            ]}
          />
        )}
      </QueryView>
      {lists.some(({ length }) => length === LISTED_MAX) && (
        <Text size="sm" c="dimmed" px={PANEL_SIDES} py="sm">
          {t.overview.newest(LISTED_MAX)}
        </Text>
      )}
    </Panel>
  );
}

/** The newest messages of a status: asked for when their number has changed, and not at all while there are none. */
function useNewest(status: MessageOrder['external_status'], count: number) {
  const query = { status, limit: LISTED_MAX };
  return useQuery({
    queryKey: [PATH, query, count],
    queryFn: ({ signal }) =>
      count === 0 ? NONE : api.request<Pick<MessageOrderList, 'data'>>(PATH, { signal, query }),
    placeholderData: keepPreviousData,
  });
}

/** The same status for the same reason, the most first. */
function groupsOf(messages: readonly MessageOrder[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { external_status: status, reason, carrier_code: code } of messages) {
    const why = reasonWords(reason, code);
    const known = groups.get(`${status} ${why}`);
    groups.set(`${status} ${why}`, { status, why, count: (known?.count ?? 0) + 1 });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}
