import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import type { MessageOrder, MessageOrderList } from '#client';
import { formatCount } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { DataTable } from '../../shell/table/data-table.js';
import { reasonWords } from '../parts/reason-words.js';
import { StatusBadge } from '../parts/status-badge.js';
import { useRead } from '../parts/use-api.js';
import { t } from '../words.js';

const EVERY_MS = 60_000;
const SHOWN_MAX = 6;
const LISTED_MAX = 100;

interface FailureGroup {
  readonly status: MessageOrder['external_status'];
  readonly why: string;
  readonly count: number;
}

export function FailuresPanel() {
  const settings = (status: string) => ({ query: { status, limit: LISTED_MAX }, everyMs: EVERY_MS });
  const failed = useRead<MessageOrderList>('/v1/account/messages', settings('failed'));
  const undelivered = useRead<MessageOrderList>('/v1/account/messages', settings('undelivered'));
  const unknown = useRead<MessageOrderList>('/v1/account/messages', settings('unknown'));
  const { failures, failureColumns: heads, noFailures } = t.overview;
  const groups = groupsOf([undelivered, failed, unknown].flatMap(({ data }) => data?.data ?? []));
  return (
    <Panel title={failures} flush>
      <QueryView query={undelivered}>
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
    </Panel>
  );
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
