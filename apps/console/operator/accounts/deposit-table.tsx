import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { type Column } from '../../shell/table/data-table.js';
import { ListView } from '../../shell/table/list-view.js';
import { RecentTime } from '../../shell/table/recent-time.js';
import { useAddress } from '../../shell/use-address.js';
import { PAGE_ROWS, type Page } from '../parts/page.js';
import { usePolled } from '../parts/use-polled.js';
import { t } from '../words.js';
import { type Account, accountPath, type Deposit } from './account.js';

const columns: readonly Column<Deposit>[] = [
  { key: 'number', head: t.accounts.number, isNumber: true, wideOnly: true, cell: ({ number }) => formatCount(number) },
  {
    key: 'at',
    head: t.accounts.at,
    cell: ({ createdAt }) => <RecentTime at={createdAt} />,
  },
  { key: 'kind', head: t.accounts.kind, wideOnly: true, cell: ({ kind }) => t.accounts.kinds[kind] ?? kind },
  {
    key: 'words',
    head: t.accounts.reference,
    isMain: true,
    isProse: true,
    cell: ({ reference, reason }) => reference ?? reason ?? '',
  },
  {
    key: 'amount',
    head: t.accounts.amount,
    isMoney: true,
    wideOnly: true,
    cell: ({ amount, currency }) => formatMoney(amount, currency, { sign: true }),
  },
  {
    key: 'booked',
    head: t.accounts.onBalance,
    isMoney: true,
    cell: ({ accountAmount, accountCurrency }) => formatMoney(accountAmount, accountCurrency, { sign: true }),
  },
];

/** What was paid in and corrected, newest first. */
export function DepositTable({ account: { accountId } }: { readonly account: Account }) {
  const { place, moveTo } = useAddress([]);
  const deposits = usePolled<Page<Deposit>>(`${accountPath(accountId)}/deposits`, {
    query: { limit: PAGE_ROWS, cursor: place.cursor },
  });
  return (
    <ListView
      query={deposits}
      label={t.accounts.deposits}
      columns={columns}
      keyOf={({ number }) => String(number)}
      empty={<EmptyState icon="deposits" title={t.accounts.noDeposits} />}
      place={place}
      onMove={moveTo}
    />
  );
}
