import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import { destinationName } from '../../shell/destination-name.js';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { formatMonth, formatUtcDay } from '../../shell/format-times.js';
import { useNotices } from '../../shell/frame/notices.js';
import { saveFile } from '../../shell/save-file.js';
import { serviceMonth } from '../../shell/service-time.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { DataTable } from '../../shell/table/data-table.js';
import { Facts } from '../parts/facts.js';
import { usePolled } from '../parts/use-polled.js';
import { LONG, read } from '../session/api.js';
import { t } from '../words.js';
import { type Account, accountPath } from './account.js';

interface Statement {
  readonly isFinal: boolean;
  readonly currency: string;
  readonly opening: string;
  readonly closing: string;
  readonly totals: Readonly<Record<'deposits' | 'adjustments' | 'charges' | 'refunds', string>>;
  readonly charges: readonly {
    readonly day: string;
    readonly destination: string;
    readonly country: string | null;
    readonly unitPrice: string;
    readonly messages: number;
    readonly segments: number;
    readonly amount: string;
  }[];
}

interface StatementFile {
  readonly name: string;
  readonly media: string;
  readonly text: string;
}

export function StatementPanel({ account: { accountId, createdAt } }: { readonly account: Account }) {
  const months = monthsSince(createdAt);
  const [month, setMonth] = useState(months[0] ?? '');
  const path = `${accountPath(accountId)}/statements/${month}`;
  const statement = usePolled<Statement>(path, { isLong: true });
  return (
    <Stack gap="md" p="md">
      <Group gap="sm" align="end">
        <NativeSelect
          label={t.accounts.month}
          value={month}
          onChange={({ currentTarget }) => setMonth(currentTarget.value)}
          data={months.map((value) => ({ value, label: formatMonth(value) }))}
        />
        <SaveButton path={path} format="csv" label={t.accounts.asCsv} />
        <SaveButton path={path} format="html" label={t.accounts.asPage} />
      </Group>
      <QueryView query={statement}>{(made) => <Shown statement={made} />}</QueryView>
    </Stack>
  );
}

function Shown({ statement }: { readonly statement: Statement }) {
  const { currency, totals, isFinal } = statement;
  const money = (amount: string) => formatMoney(amount, currency);
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [t.accounts.opening, money(statement.opening)],
          [t.accounts.deposits, money(totals.deposits)],
          [t.accounts.corrections, money(totals.adjustments)],
          [t.accounts.charges, money(totals.charges)],
          [t.accounts.refunds, money(totals.refunds)],
          [isFinal ? t.accounts.closing : t.accounts.provisional, money(statement.closing)],
        ]}
      />
      <DataTable
        label={t.accounts.charges}
        rows={statement.charges}
        keyOf={({ day, destination, unitPrice }) => `${day} ${destination} ${unitPrice}`}
        empty={
          <EmptyState icon="ledger" title={t.accounts.noCharges}>
            {t.accounts.noChargesAbout}
          </EmptyState>
        }
        columns={[
          { key: 'day', head: t.accounts.day, cell: ({ day }) => formatUtcDay(day) },
          {
            key: 'destination',
            head: t.accounts.destination,
            isMain: true,
            cell: ({ destination, country }) => destinationName(destination, country),
          },
          {
            key: 'messages',
            head: t.accounts.messages,
            isNumber: true,
            wideOnly: true,
            cell: (row) => formatCount(row.messages),
          },
          { key: 'price', head: t.accounts.price, isMoney: true, wideOnly: true, cell: (row) => money(row.unitPrice) },
          { key: 'amount', head: t.accounts.amount, isMoney: true, cell: (row) => money(row.amount) },
        ]}
      />
    </Stack>
  );
}

function SaveButton(props: { readonly path: string; readonly format: 'csv' | 'html'; readonly label: string }) {
  const { path, format, label } = props;
  const [isBusy, setIsBusy] = useState(false);
  const notices = useNotices();
  const save = async () => {
    setIsBusy(true);
    await read<StatementFile>(`${path}/file`, { query: { format }, ...LONG }).then(
      ({ name, media, text }) => saveFile(new Blob([text], { type: media }), name),
      notices.failed,
    );
    setIsBusy(false);
  };
  return (
    <Button variant="default" size="sm" loading={isBusy} onClick={() => void save()}>
      {label}
    </Button>
  );
}

/** In UTC, newest first. */
function monthsSince(createdAt: string): string[] {
  const months: string[] = [];
  const at = new Date(`${serviceMonth()}-01T00:00:00Z`);
  const first = createdAt.slice(0, 'YYYY-MM'.length);
  for (; at.toISOString().slice(0, first.length) >= first; at.setUTCMonth(at.getUTCMonth() - 1)) {
    months.push(at.toISOString().slice(0, first.length));
  }
  return months;
}
