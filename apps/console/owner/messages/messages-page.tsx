import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { MessageOrder, MessageOrderList } from '#client';
import { beginOfDay } from '../../shell/date-fields.js';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { Icon } from '../../shell/icons.js';
import { pollEveryMs } from '../../shell/poll-every.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { LoadingLines } from '../../shell/states/query-view.js';
import { fieldFaults } from '../../shell/states/refusal-text.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { type Column } from '../../shell/table/data-table.js';
import { ListView } from '../../shell/table/list-view.js';
import { RecentTime } from '../../shell/table/recent-time.js';
import { useAddress } from '../../shell/use-address.js';
import { ExportButton } from '../parts/export-button.js';
import { RecipientCell, textOf } from '../parts/recipient-cell.js';
import { OPEN_STATUSES, StatusBadge } from '../parts/status-badge.js';
import { useRead } from '../parts/use-api.js';
import { useSession } from '../session/use-session.js';
import { t } from '../words.js';
import { FILTERS, MessageFilters } from './message-filters.js';

const PATH = '/v1/account/messages';
const ROWS = 25;
/** New messages appear on the first page. */
const NEW_EVERY_MS = 15_000;

export default function MessagesPage() {
  const { values, change, place, moveTo } = useAddress(FILTERS);
  const { scopes } = useSession();
  const sinceMs = useSince(JSON.stringify([values, place]));
  const list = useRead<MessageOrderList>(PATH, {
    query: { ...apiFilters(values), limit: ROWS, cursor: place.cursor },
    // Only what still moves is asked for often, and less and less so.
    everyMs: (page) => {
      if (page?.data.some(({ external_status: status }) => OPEN_STATUSES.includes(status))) {
        return pollEveryMs(sinceMs.current, Date.now());
      }
      return place.cursor === undefined ? NEW_EVERY_MS : false;
    },
  });
  const isFiltered = FILTERS.some((name) => values[name] !== '');
  const { noneFound, none } = t.messages;
  return (
    <>
      <PageHead
        title={t.messages.title}
        about={t.messages.about}
        actions={
          <>
            <UpdatedNote query={list} />
            <ExportButton path={`${PATH}/export`} query={apiFilters(values)} file="messages.csv" />
            {scopes.includes('send') && (
              <Button component={Link} href="/compose" leftSection={<Icon name="compose" size={16} />}>
                {t.messages.send}
              </Button>
            )}
          </>
        }
      />
      <Panel flush>
        <MessageFilters values={values} faults={fieldFaults(list.error)} onChange={change} />
        <ListView
          query={list}
          fields={FILTERS}
          loading={<LoadingLines count={10} />}
          label={t.messages.title}
          columns={COLUMNS}
          keyOf={(message) => message.message_uuid}
          empty={
            <EmptyState icon="messages" title={isFiltered ? noneFound.title : none.title}>
              {isFiltered ? noneFound.about : none.about}
            </EmptyState>
          }
          place={place}
          onMove={moveTo}
        />
      </Panel>
    </>
  );
}

const { columns: heads } = t.messages;

const COLUMNS: readonly Column<MessageOrder>[] = [
  { key: 'status', head: heads.status, cell: ({ external_status: status }) => <StatusBadge status={status} /> },
  { key: 'recipient', head: heads.recipient, cell: RecipientCell },
  {
    key: 'text',
    head: heads.text,
    isMain: true,
    wideOnly: true,
    cell: (order) => <span title={order.message}>{textOf(order)}</span>,
  },
  {
    key: 'segments',
    head: heads.segments,
    isNumber: true,
    wideOnly: true,
    cell: ({ segments }) => formatCount(segments),
  },
  {
    key: 'amount',
    head: heads.amount,
    isMoney: true,
    wideOnly: true,
    cell: ({ amount, currency }) => formatMoney(amount, currency),
  },
  {
    key: 'time',
    head: heads.time,
    isNumber: true,
    cell: ({ created_at: at }) => <RecentTime at={at} />,
  },
];

/** A day of a date field begins and ends by the reader's clock. */
function apiFilters(values: Readonly<Record<(typeof FILTERS)[number], string>>): Record<string, string> {
  const { from, to, ...others } = values;
  const times = { from: beginOfDay(from) ?? '', to: beginOfDay(to, 1) ?? '' };
  return Object.fromEntries(Object.entries({ ...others, ...times }).filter(([, value]) => value !== ''));
}

/** Since when somebody has looked at this page of the list. */
function useSince(what: string) {
  const since = useRef(Date.now());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page of the list begins anew.
  useEffect(() => {
    since.current = Date.now();
  }, [what]);
  return since;
}
