import { formatMoney, microsOf } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { t } from '../words.js';
import type { Overview } from './overview.js';

type Sums = Overview['money'][number];

const columns: readonly Column<Sums>[] = [
  { key: 'currency', head: t.overview.currency, isMain: true, cell: ({ currency }) => currency },
  {
    key: 'deposited',
    head: t.overview.deposited,
    isNumber: true,
    cell: ({ deposited, currency }) => formatMoney(deposited, currency, { round: true }),
  },
  {
    key: 'reserved',
    head: t.overview.reserved,
    isNumber: true,
    wideOnly: true,
    cell: ({ reserved, currency }) => formatMoney(reserved, currency, { round: true }),
  },
  {
    key: 'captured',
    head: t.overview.captured,
    isNumber: true,
    wideOnly: true,
    cell: ({ captured, currency }) => formatMoney(captured, currency, { round: true }),
  },
  {
    key: 'balance',
    head: t.overview.balance,
    isNumber: true,
    cell: (sums) => formatMoney(balanceOf(sums), sums.currency, { round: true }),
  },
];

export function MoneyTable({ overview: { money } }: { readonly overview: Overview }) {
  return (
    <Panel title={t.overview.money} flush>
      <DataTable
        label={t.overview.money}
        columns={columns}
        rows={money}
        keyOf={({ currency }) => currency}
        empty={<EmptyState icon="ledger" title={t.overview.noMoney} />}
      />
    </Panel>
  );
}

function balanceOf({ deposited, reserved, captured }: Sums): bigint {
  return microsOf(deposited) - microsOf(reserved) - microsOf(captured);
}
