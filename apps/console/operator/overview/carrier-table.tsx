import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { formatCount } from '../../shell/format-numbers.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { type Column, DataTable } from '../../shell/table/data-table.js';
import { StateWord } from '../parts/state-word.js';
import { carrierTone } from '../parts/tones.js';
import { t } from '../words.js';
import { type CarrierRow, notDelivered, type Overview } from './overview.js';
import { WAITING_COLUMNS } from './waiting-columns.js';

const columns: readonly Column<CarrierRow>[] = [
  {
    key: 'name',
    head: t.overview.carrier,
    isMain: true,
    cell: ({ name, simulator }) => (
      <>
        <Anchor component={Link} href={`/carriers/${encodeURIComponent(name)}`} size="sm" fw={600}>
          {name}
        </Anchor>
        {simulator && (
          <Text component="span" size="xs" c="dimmed" ml={8}>
            {t.carriers.simulator}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'state',
    head: t.overview.state,
    cell: ({ state }) => <StateWord tone={carrierTone(state)} word={t.carriers.states[state] ?? state} />,
  },
  {
    key: 'now',
    head: t.overview.rateHead,
    isNumber: true,
    wideOnly: true,
    cell: ({ segmentsPerSecond }) => t.overview.perSecond(formatCount(segmentsPerSecond)),
  },
  { key: 'sent', head: t.overview.taken, isNumber: true, cell: ({ lastHour }) => formatCount(lastHour.sent) },
  {
    key: 'delivered',
    head: t.overview.deliveredHead,
    isNumber: true,
    wideOnly: true,
    cell: ({ lastHour }) => formatCount(lastHour.delivered),
  },
  {
    key: 'bad',
    head: <Breaking>{t.overview.bad}</Breaking>,
    isNumber: true,
    wideOnly: true,
    cell: ({ lastHour }) => formatCount(notDelivered(lastHour)),
  },
  {
    key: 'week',
    head: <Breaking>{t.overview.weekHead}</Breaking>,
    isNumber: true,
    wideOnly: true,
    cell: ({ weekBefore }) => formatCount(weekBefore.sent),
  },
  ...WAITING_COLUMNS,
  {
    key: 'receipts',
    head: <Breaking>{t.overview.receiptsHead}</Breaking>,
    isNumber: true,
    wideOnly: true,
    cell: ({ awaitingReceipts }) => formatCount(awaitingReceipts.messages),
  },
];

/** The names of so many columns have no room in one line beside the menu of a laptop. */
function Breaking({ children }: { readonly children: string }) {
  return <span className="breaks">{children}</span>;
}

export function CarrierTable({ overview: { carriers } }: { readonly overview: Overview }) {
  return (
    <Panel title={t.overview.carriers} flush>
      <DataTable
        label={t.overview.carriers}
        columns={columns}
        rows={carriers}
        keyOf={({ carrierId }) => String(carrierId)}
        empty={
          <EmptyState icon="carriers" title={t.overview.noCarriers}>
            {t.overview.noCarriersAbout}
          </EmptyState>
        }
      />
    </Panel>
  );
}
