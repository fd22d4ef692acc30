import { Text } from '@mantine/core';
import type { LedgerEntry } from '#client';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { formatTime } from '../../shell/format-times.js';
import type { Column } from '../../shell/table/data-table.js';
import { t } from '../words.js';
import { MoneyList } from './money-list.js';

const { columns: heads } = t.ledger;

const COLUMNS: readonly Column<LedgerEntry>[] = [
  { key: 'entry', head: heads.entry, isNumber: true, wideOnly: true, cell: ({ entry }) => formatCount(entry) },
  { key: 'time', head: heads.time, wideOnly: true, cell: ({ created_at: at }) => formatTime(at) },
  { key: 'kind', head: heads.kind, isMain: true, isProse: true, cell: KindCell },
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
    isMoney: true,
    cell: ({ balance_change: change, currency }) =>
      change === 0 ? '–' : formatMoney(change, currency, { sign: true }),
  },
  {
    key: 'after',
    head: heads.after,
    isMoney: true,
    cell: ({ balance_after: after, currency }) => formatMoney(after, currency),
  },
];

export default function LedgerPage() {
  return (
    <MoneyList<LedgerEntry>
      path="/v1/account/ledger"
      file="ledger.csv"
      pageRows={50}
      icon="ledger"
      words={t.ledger}
      columns={COLUMNS}
      keyOf={({ entry }) => String(entry)}
    />
  );
}

/** On a phone, it has the time as well. */
function KindCell(entry: LedgerEntry) {
  return (
    <>
      {kindText(entry)}
      <Text size="xs" c="dimmed" className="narrow-only">
        {formatTime(entry.created_at)}
      </Text>
    </>
  );
}

function kindText({ kind, amount, currency, reason }: LedgerEntry): string {
  const words = t.ledger.kinds[kind];
  if (kind === 'capture') return `${words}: ${t.ledger.captured(formatMoney(amount, currency))}`;
  return reason === null ? words : `${words}: ${reason}`;
}
