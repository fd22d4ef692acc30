import type { DepositList } from '#client';
import { formatMoney } from '../../shell/format-numbers.js';
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

const PATH = '/v1/account/deposits';
const ROWS = 25;

export default function DepositsPage() {
  const { place, moveTo } = useAddress([]);
  const list = useRead<DepositList>(PATH, { query: { limit: ROWS, cursor: place.cursor } });
  const { columns: heads, kinds, none } = t.deposits;
  return (
    <>
      <PageHead
        title={t.deposits.title}
        about={t.deposits.about}
        actions={<ExportButton path={`${PATH}/export`} file="deposits.csv" />}
      />
      <Panel flush>
        <QueryView query={list}>
          {({ data, pagination }) => (
            <>
              <DataTable
                label={t.deposits.title}
                rows={data}
                keyOf={({ created_at: at, amount, reference }) => `${at} ${amount} ${reference}`}
                empty={
                  <EmptyState icon="deposits" title={none.title}>
                    {none.about}
                  </EmptyState>
                }
                columns={[
                  { key: 'time', head: heads.time, cell: ({ created_at: at }) => formatTime(at) },
                  { key: 'kind', head: heads.kind, wideOnly: true, cell: ({ kind }) => kinds[kind] },
                  {
                    key: 'reference',
                    head: heads.reference,
                    isMain: true,
                    cell: ({ reference, reason }) => [reference, reason].filter(Boolean).join(' · ') || '–',
                  },
                  {
                    key: 'amount',
                    head: heads.amount,
                    isNumber: true,
                    cell: ({ amount, currency }) => formatMoney(amount, currency),
                  },
                  {
                    key: 'converted',
                    head: heads.converted,
                    isNumber: true,
                    wideOnly: true,
                    cell: ({ converted_amount: amount, converted_currency: currency }) => formatMoney(amount, currency),
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
