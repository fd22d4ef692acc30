import { Text } from '@mantine/core';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { type Column } from '../../shell/table/data-table.js';
import { ListView } from '../../shell/table/list-view.js';
import { RecentTime } from '../../shell/table/recent-time.js';
import { useAddress } from '../../shell/use-address.js';
import { PAGE_ROWS, type Page } from '../parts/page.js';
import { SLOW_MS, usePolled } from '../parts/use-polled.js';
import { t } from '../words.js';
import { type Account, accountPath, type LedgerEntry } from './account.js';

/** Every movement of money of an account, newest first. */
export function LedgerTable({ account: { accountId, currency } }: { readonly account: Account }) {
  const { place, moveTo } = useAddress([]);
  const ledger = usePolled<Page<LedgerEntry>>(`${accountPath(accountId)}/ledger`, {
    everyMs: SLOW_MS,
    query: { limit: PAGE_ROWS, cursor: place.cursor },
  });
  const columns: readonly Column<LedgerEntry>[] = [
    {
      key: 'number',
      head: t.accounts.number,
      isNumber: true,
      wideOnly: true,
      cell: ({ number }) => formatCount(number),
    },
    {
      key: 'at',
      head: t.accounts.at,
      wideOnly: true,
      cell: ({ createdAt }) => <RecentTime at={createdAt} />,
    },
    { key: 'kind', head: t.accounts.kind, cell: KindCell },
    {
      key: 'reason',
      head: t.accounts.reason,
      isMain: true,
      isProse: true,
      wideOnly: true,
      cell: ({ reason }) => reason ?? '',
    },
    {
      key: 'messages',
      head: t.accounts.messages,
      isNumber: true,
      wideOnly: true,
      cell: ({ messages }) => (messages === null ? '' : formatCount(messages)),
    },
    {
      key: 'amount',
      head: t.accounts.amount,
      isMoney: true,
      cell: (entry) => changeOf(entry, currency),
    },
    {
      key: 'after',
      head: t.accounts.balanceAfter,
      isMoney: true,
      cell: ({ balanceAfter }) => formatMoney(balanceAfter, currency),
    },
  ];
  return (
    <ListView
      query={ledger}
      label={t.accounts.ledger}
      columns={columns}
      keyOf={({ number }) => String(number)}
      empty={
        <EmptyState icon="ledger" title={t.accounts.noEntries}>
          {t.accounts.noEntriesAbout}
        </EmptyState>
      }
      place={place}
      onMove={moveTo}
    />
  );
}

/** On a phone, it has the time as well. */
function KindCell({ kind, createdAt }: LedgerEntry) {
  return (
    <>
      {t.accounts.kinds[kind] ?? kind}
      <Text size="xs" c="dimmed" className="narrow-only">
        <RecentTime at={createdAt} />
      </Text>
    </>
  );
}

/** What an entry does to the balance. A capture moves what was reserved, so the balance stays. */
function changeOf({ amount, credit, debit }: LedgerEntry, currency: string): string {
  if (credit === 'available') return formatMoney(amount, currency, { sign: true });
  return debit === 'available' ? formatMoney(`-${amount}`, currency, { sign: true }) : '–';
}
