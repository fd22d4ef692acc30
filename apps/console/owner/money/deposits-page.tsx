import { Stack } from '@mantine/core';
import type { DepositList } from '#client';
import { formatMoney } from '../../shell/format-numbers.js';
import { formatClock, formatDay } from '../../shell/format-times.js';
import type { Column } from '../../shell/table/data-table.js';
import { useSession } from '../session/use-session.js';
import { t } from '../words.js';
import { BalanceAlertPanel } from './balance-alert.js';
import { MoneyList } from './money-list.js';
import { TestBalancePanel } from './test-balance.js';

type Deposit = DepositList['data'][number];

const { columns: heads, kinds } = t.deposits;

const COLUMNS: readonly Column<Deposit>[] = [
  {
    key: 'time',
    head: heads.time,
    cell: ({ created_at: at }) => (
      <>
        {formatDay(at)}
        <span className="wide-only">, {formatClock(at)}</span>
      </>
    ),
  },
  { key: 'kind', head: heads.kind, wideOnly: true, cell: ({ kind }) => kinds[kind] },
  {
    key: 'reference',
    head: heads.reference,
    isMain: true,
    isProse: true,
    cell: ({ reference, reason }) => [reference, reason].filter(Boolean).join(' · ') || '–',
  },
  { key: 'amount', head: heads.amount, isMoney: true, cell: ({ amount, currency }) => formatMoney(amount, currency) },
  {
    key: 'converted',
    head: heads.converted,
    isMoney: true,
    wideOnly: true,
    cell: ({ converted_amount: amount, converted_currency: currency }) => formatMoney(amount, currency),
  },
];

export default function DepositsPage() {
  const { test: isTest } = useSession();
  return (
    <MoneyList<Deposit>
      path="/v1/account/deposits"
      file="deposits.csv"
      pageRows={25}
      icon="deposits"
      words={t.deposits}
      columns={COLUMNS}
      keyOf={({ created_at: at, amount, reference }) => `${at} ${amount} ${reference}`}
    >
      <Stack gap="md">
        {isTest && <TestBalancePanel />}
        <BalanceAlertPanel />
      </Stack>
    </MoneyList>
  );
}
