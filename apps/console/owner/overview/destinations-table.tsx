import type { Usage } from '#client';
import { destinationName } from '../../shell/destination-name.js';
import { formatCount, formatMoney, formatPercent } from '../../shell/format-numbers.js';
import { DataTable } from '../../shell/table/data-table.js';
import { deliveryRate, groupUsage } from '../usage/usage-sums.js';
import { t } from '../words.js';

const SHOWN_MAX = 6;

export function DestinationsTable({ usage, currency }: { readonly usage: Usage; readonly currency: string }) {
  const heads = t.overview.destinationColumns;
  return (
    <DataTable
      label={t.overview.destinations}
      rows={groupUsage(usage.data, 'destination').slice(0, SHOWN_MAX)}
      keyOf={({ name }) => name}
      empty={null}
      columns={[
        { key: 'destination', head: heads.destination, isMain: true, cell: ({ name }) => destinationName(name) },
        { key: 'messages', head: heads.messages, isNumber: true, cell: ({ sums }) => formatCount(sums.messages) },
        {
          key: 'rate',
          head: heads.rate,
          isNumber: true,
          wideOnly: true,
          cell: ({ sums }) => rateText(deliveryRate(sums)),
        },
        {
          key: 'amount',
          head: heads.amount,
          isNumber: true,
          cell: ({ sums }) => formatMoney(sums.micros, currency, { round: true }),
        },
      ]}
    />
  );
}

function rateText(rate: number | undefined): string {
  return rate === undefined ? '–' : formatPercent(rate);
}
