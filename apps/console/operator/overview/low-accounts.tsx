import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { formatMoney } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import type { Account } from '../accounts/account.js';
import { AccountLink } from '../parts/account-link.js';
import type { Page } from '../parts/page.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { t } from '../words.js';

const ROWS_MAX = 5;

const columns: readonly Column<Account>[] = [
  {
    key: 'name',
    head: t.overview.account,
    isMain: true,
    cell: ({ accountId, name }) => <AccountLink accountId={accountId} name={name} />,
  },
  {
    key: 'balance',
    head: t.accounts.balance,
    isNumber: true,
    cell: ({ creditRemaining, currency }) => formatMoney(creditRemaining, currency, { round: true }),
  },
  {
    key: 'alert',
    head: t.accounts.balanceAlert,
    isNumber: true,
    cell: ({ balanceAlert, currency }) =>
      balanceAlert === null ? '' : formatMoney(balanceAlert, currency, { round: true }),
  },
];

/** The accounts whose balance is below their balance alert; nothing if there are none. */
export function LowAccounts() {
  const low = usePolled<Page<Account>>('/accounts', { everyMs: SLOW_MS, query: { low: 'true', limit: ROWS_MAX } });
  if (low.data === undefined || low.data.data.length === 0) return null;
  return (
    <Panel
      title={t.accounts.low}
      flush
      actions={
        low.data.next !== null && (
          <Anchor component={Link} href="/accounts?low=true" size="sm">
            {t.accounts.allLow}
          </Anchor>
        )
      }
    >
      <DataTable
        label={t.accounts.low}
        columns={columns}
        rows={low.data.data}
        keyOf={({ accountId }) => accountId}
        empty={null}
      />
    </Panel>
  );
}
