import type { LedgerEntry, LedgerList } from '#client';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { DataTable } from '../../shell/table/data-table.js';
import { Pager } from '../../shell/table/pager.js';
import { useAddress } from '../../shell/use-address.js';
import { ExportButton } from '../parts/export-button.js';
import { useRead } from '../parts/use-api.js';
import { t } from '../words.js';

const PATH = '/v1/account/ledger';
const ROWS = 50;

export default function LedgerPage() {
  const { place, moveTo } = useAddress([]);
  const list = useRead<LedgerList>(PATH, { query: { limit: ROWS, cursor: place.cursor } });
  const { columns: heads, none } = t.ledger;
  return (
    <>
      <PageHead
        title={t.ledger.title}
        about={t.ledger.about}
        actions={<ExportButton path={`${PATH}/export`} file="ledger.csv" />}
      />
      <Panel flush>
        <QueryView query={list}>
          {({ data, pagination }) => (
            <>
              <DataTable
                label={t.ledger.title}
                rows={data}
                keyOf={({ entry }) => String(entry)}
                empty={
                  <EmptyState icon="ledger" title={none.title}>
                    {none.about}
                  </EmptyState>
                }
                columns={[
                  {
                    key: 'entry',
                    head: heads.entry,
                    isNumber: true,
                    wideOnly: true,
                    cell: ({ entry }) => formatCount(entry),
                  },
                  { key: 'time', head: heads.time, wideOnly: true, cell: ({ created_at: at }) => formatTime(at) },
                  { key: 'kind', head: heads.kind, isMain: true, cell: kindText },
                  {
                    key: 'messages',
                    head: heads.messages,
                    isNumber: true,
                    wideOnly: true,
                    cell: ({ messages }) => (messages === null ? '–' : formatCount(messages)),
                  },
                  {
                    key: 'change',
                    head: heads.change,
                    isNumber: true,
                    cell: ({ balance_change: change, currency }) =>
                      change === 0 ? '–' : formatMoney(change, currency, { sign: true }),
                  },
                  {
                    key: 'after',
                    head: heads.after,
                    isNumber: true,
                    cell: ({ balance_after: after, currency }) => formatMoney(after, currency),
                  },
                ]}
              />
              <Pager
                place={place}
                shown={data.length}
                total={pagination.total}
                next={pagination.next}
                onMove={moveTo}
              />
            </>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

function kindText({ kind, amount, currency, reason }: LedgerEntry): string {
  const words = t.ledger.kinds[kind];
  if (kind === 'capture') return `${words}: ${t.ledger.captured(formatMoney(amount, currency))}`;
  return reason === null ? words : `${words}: ${reason}`;
}
