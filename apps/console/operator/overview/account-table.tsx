import { formatCount } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { AccountLink } from '../parts/account-link.js';
import { t } from '../words.js';
import { type AccountRow, notDelivered, type Overview } from './overview.js';
import { WAITING_COLUMNS } from './waiting-columns.js';

const columns: readonly Column<AccountRow>[] = [
  {
    key: 'name',
    head: t.overview.account,
    isMain: true,
    cell: ({ accountId, name }) => <AccountLink accountId={accountId} name={name} />,
  },
  {
    key: 'accepted',
    head: t.overview.acceptedHead,
    isNumber: true,
    cell: ({ lastHour }) => formatCount(lastHour.accepted),
  },
  {
    key: 'week',
    head: t.overview.weekHead,
    isNumber: true,
    wideOnly: true,
    cell: ({ weekBefore }) => formatCount(weekBefore.accepted),
  },
  {
    key: 'delivered',
    head: t.overview.deliveredHead,
    isNumber: true,
    cell: ({ lastHour }) => formatCount(lastHour.delivered),
  },
  {
    key: 'bad',
    head: t.overview.bad,
    isNumber: true,
    wideOnly: true,
    cell: ({ lastHour }) => formatCount(notDelivered(lastHour)),
  },
  ...WAITING_COLUMNS,
];

export function AccountTable({ overview: { accounts } }: { readonly overview: Overview }) {
  return (
    <Panel title={t.overview.accounts} flush>
      <DataTable
        label={t.overview.accounts}
        columns={columns}
        rows={accounts}
        keyOf={({ accountId }) => accountId}
        empty={
          <EmptyState icon="accounts" title={t.overview.noAccounts}>
            {t.overview.noAccountsAbout}
          </EmptyState>
        }
      />
    </Panel>
  );
}
