import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { Statement, StatementMonths } from '#client';
import { destinationName } from '../../shell/destination-name.js';
import { formatCount, formatMoney, microsOf } from '../../shell/format-numbers.js';
import { formatMonth, formatUtcDay, formatUtcTime } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { StatTile, StatTiles } from '../../shell/states/stat-tile.js';
import { DataTable } from '../../shell/table/data-table.js';
import { useAddress } from '../../shell/use-address.js';
import { ExportButton } from '../parts/export-button.js';
import { useRead } from '../parts/use-api.js';
import { t } from '../words.js';

const PATH = '/v1/account/statements';

export default function StatementsPage() {
  const { values, change } = useAddress(['month']);
  const months = useRead<StatementMonths>(PATH);
  const month = values.month || (months.data?.data[0]?.month ?? '');
  const statement = useRead<Statement>(`${PATH}/${month}`, { isNeeded: month !== '' });
  return (
    <>
      <PageHead
        title={t.statements.title}
        about={t.statements.about}
        actions={
          <Group gap="sm">
            <ExportButton path={`${PATH}/${month}/export`} file={`statement-${month}.csv`} />
            <Button variant="default" size="sm" onClick={() => window.print()}>
              {t.statements.print}
            </Button>
          </Group>
        }
      />
      <QueryView query={months}>
        {({ data }) => (
          <NativeSelect
            label={t.statements.month}
            value={month}
            onChange={({ currentTarget }) => change({ month: currentTarget.value })}
            data={data.map((one) => ({
              value: one.month,
              label: t.statements.ofMonth(formatMonth(one.month), one.is_final),
            }))}
            mb="md"
            maw={280}
          />
        )}
      </QueryView>
      {month !== '' && <QueryView query={statement}>{(made) => <Shown statement={made} />}</QueryView>}
    </>
  );
}

function Shown({ statement }: { readonly statement: Statement }) {
  const { currency, totals, is_final: isFinal } = statement;
  const { columns: heads, none } = t.statements;
  const money = (amount: number | bigint) => formatMoney(amount, currency);
  return (
    <Stack gap="md">
      <StatTiles>
        <StatTile label={t.statements.opening} value={money(statement.opening_balance)} />
        <StatTile label={t.statements.booked} value={money(microsOf(totals.deposits) + microsOf(totals.adjustments))} />
        <StatTile label={t.statements.charges} value={money(totals.charges)} />
        <StatTile label={t.statements.refunds} value={money(totals.refunds)} />
        <StatTile
          label={isFinal ? t.statements.closing : t.statements.balance}
          value={money(statement.closing_balance)}
        />
      </StatTiles>
      <Panel title={t.statements.charges} flush>
        <DataTable
          label={t.statements.charges}
          rows={statement.charges}
          keyOf={({ day, destination, unit_price: price }) => `${day} ${destination} ${price}`}
          empty={
            <EmptyState icon="usage" title={none.title}>
              {none.about}
            </EmptyState>
          }
          columns={[
            { key: 'day', head: heads.day, cell: ({ day }) => formatUtcDay(day) },
            {
              key: 'destination',
              head: heads.destination,
              isMain: true,
              cell: ({ destination, country }) => destinationName(destination, country),
            },
            {
              key: 'messages',
              head: heads.messages,
              isNumber: true,
              wideOnly: true,
              cell: (row) => formatCount(row.messages),
            },
            {
              key: 'segments',
              head: heads.segments,
              isNumber: true,
              wideOnly: true,
              cell: (row) => formatCount(row.segments),
            },
            { key: 'price', head: heads.price, isMoney: true, wideOnly: true, cell: (row) => money(row.unit_price) },
            { key: 'amount', head: heads.amount, isMoney: true, cell: (row) => money(row.amount) },
          ]}
        />
      </Panel>
      <Lines title={t.statements.deposits} currency={currency} lines={depositLines(statement)} />
      <Lines title={t.statements.refunds} currency={currency} lines={refundLines(statement)} />
    </Stack>
  );
}

interface Line {
  readonly key: string;
  readonly at: string;
  readonly what: string;
  readonly amount: number;
}

function depositLines({ deposits, adjustments }: Statement): Line[] {
  return [
    ...deposits.map(({ created_at: at, reference, booked_amount: amount }, n) => ({
      key: `deposit ${n}`,
      at: formatUtcTime(at),
      what: reference ?? t.deposits.kinds.deposit,
      amount,
    })),
    ...adjustments.map(({ created_at: at, reason, amount }, n) => ({
      key: `adjustment ${n}`,
      at: formatUtcTime(at),
      what: reason ?? t.deposits.kinds.adjustment,
      amount,
    })),
  ];
}

function refundLines({ refunds }: Statement): Line[] {
  return refunds.map(({ day, messages, amount }) => ({
    key: day,
    at: formatUtcDay(day),
    what: t.statements.refunded(messages),
    amount,
  }));
}

/** On a phone, it has the day as well. */
function WhatCell({ what, at }: Line) {
  return (
    <>
      {what}
      <Text size="xs" c="dimmed" className="narrow-only">
        {at}
      </Text>
    </>
  );
}

/** What there is of a kind; nothing where there is none. */
function Lines(props: { readonly title: string; readonly currency: string; readonly lines: readonly Line[] }) {
  const { title, currency, lines } = props;
  const { columns: heads } = t.statements;
  if (lines.length === 0) return null;
  return (
    <Panel title={title} flush>
      <DataTable
        label={title}
        rows={lines}
        keyOf={({ key }) => key}
        empty={null}
        columns={[
          { key: 'at', head: heads.day, wideOnly: true, cell: ({ at }) => at },
          { key: 'what', head: heads.what, isMain: true, isProse: true, cell: WhatCell },
          { key: 'amount', head: heads.amount, isMoney: true, cell: ({ amount }) => formatMoney(amount, currency) },
        ]}
      />
    </Panel>
  );
}
