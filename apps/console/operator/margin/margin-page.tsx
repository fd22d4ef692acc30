import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { destinationName } from '../../shell/destination-name.js';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { serviceMonth } from '../../shell/service-time.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { Facts } from '../parts/facts.js';
import { usePolled } from '../parts/use-polled.js';
import { t } from '../words.js';

interface Line {
  readonly carrier: string;
  readonly destination: string;
  readonly currency: string;
  readonly segments: number;
  readonly revenue: string;
  readonly costCurrency: string | null;
  readonly cost: string;
  readonly margin: string | null;
}

interface Margin {
  readonly isWhole: boolean;
  readonly lines: readonly Line[];
  readonly totals: readonly { readonly currency: string; readonly margin: string }[];
}

const columns: readonly Column<Line>[] = [
  { key: 'carrier', head: t.margin.carrier, isMain: true, cell: ({ carrier }) => carrier },
  { key: 'destination', head: t.margin.destination, cell: ({ destination }) => destinationName(destination) },
  {
    key: 'segments',
    head: t.margin.segments,
    isNumber: true,
    wideOnly: true,
    cell: ({ segments }) => formatCount(segments),
  },
  {
    key: 'revenue',
    head: t.margin.revenue,
    isMoney: true,
    wideOnly: true,
    cell: ({ revenue, currency }) => formatMoney(revenue, currency),
  },
  {
    key: 'cost',
    head: t.margin.cost,
    isMoney: true,
    wideOnly: true,
    cell: ({ cost, costCurrency }) => (costCurrency === null ? t.margin.unknown : formatMoney(cost, costCurrency)),
  },
  {
    key: 'margin',
    head: t.margin.left,
    isMoney: true,
    cell: ({ margin, currency }) => (margin === null ? '–' : formatMoney(margin, currency)),
  },
];

export default function MarginPage() {
  const [month, setMonth] = useState(serviceMonth);
  // While somebody types the year 2026, the field has the years 2, 20 and 202.
  const isMonth = /^2\d{3}-(0[1-9]|1[0-2])$/.test(month);
  const margin = usePolled<Margin>(`/margins/${month}`, { isOn: isMonth, isLong: true });
  return (
    <>
      <PageHead title={t.margin.title} about={t.margin.about} />
      <TextInput
        type="month"
        label={t.margin.month}
        value={month}
        onChange={({ currentTarget }) => setMonth(currentTarget.value)}
        mb="md"
        maw={240}
      />
      {isMonth && <QueryView query={margin}>{(found) => <Shown margin={found} />}</QueryView>}
    </>
  );
}

function Shown({ margin: { lines, totals, isWhole } }: { readonly margin: Margin }) {
  return (
    <Stack gap="md">
      {totals.length > 0 && (
        <Panel>
          <Facts facts={totals.map(({ currency, margin }) => [t.margin.in(currency), formatMoney(margin, currency)])} />
        </Panel>
      )}
      <Panel flush>
        <DataTable
          label={t.margin.title}
          columns={columns}
          rows={lines}
          keyOf={({ carrier, destination, currency, costCurrency }) =>
            `${carrier} ${destination} ${currency} ${costCurrency}`
          }
          empty={<EmptyState icon="usage" title={t.margin.none} />}
        />
      </Panel>
      {lines.some(({ costCurrency }) => costCurrency === null) && (
        <Text size="sm" c="dimmed">
          {t.margin.giveCosts}
        </Text>
      )}
      {!isWhole && (
        <Text size="sm" c="dimmed">
          {t.margin.notWhole}
        </Text>
      )}
    </Stack>
  );
}
