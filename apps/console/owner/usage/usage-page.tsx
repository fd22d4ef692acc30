import { Group, SegmentedControl, Stack } from '@mantine/core';
import type { Usage } from '#client';
import { destinationName } from '../../shell/destination-name.js';
import { averageOf, formatCount, formatMoney } from '../../shell/format-numbers.js';
import { formatUtcDay } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { EmptyState } from '../../shell/states/empty-state.js';
import { QueryView } from '../../shell/states/query-view.js';
import { StatTile, StatTiles } from '../../shell/states/stat-tile.js';
import { DataTable } from '../../shell/table/data-table.js';
import { useAddress } from '../../shell/use-address.js';
import type { MessageStatus } from '../parts/status-badge.js';
import { useRead } from '../parts/use-api.js';
import { t } from '../words.js';
import { PendingNote } from './pending-note.js';
import { dayBefore, groupUsage, sumUsage } from './usage-sums.js';

const PATH = '/v1/account/usage';
const GROUPS = ['day', 'destination', 'status'] as const;
type Grouping = (typeof GROUPS)[number];

export default function UsagePage() {
  const { values, change } = useAddress(['days', 'by']);
  const days = Object.hasOwn(t.usage.ranges, values.days) ? values.days : '30';
  const by = GROUPS.find((group) => group === values.by) ?? 'day';
  // The days are those of the service: the clock of a browser may be wrong.
  const { data: recent } = useRead<Usage>(PATH);
  const from = recent && dayBefore(recent.to, Number(days));
  const usage = useRead<Usage>(PATH, from === recent?.from ? {} : { query: { from } });
  const { ranges, groups } = t.usage;
  return (
    <>
      <PageHead title={t.usage.title} about={t.usage.about} />
      <Group mb="md" gap="md">
        <SegmentedControl
          aria-label={t.usage.range}
          value={days}
          onChange={(value) => change({ days: value })}
          data={Object.entries(ranges).map(([value, label]) => ({ value, label }))}
        />
        <SegmentedControl
          aria-label={t.usage.by}
          value={by}
          onChange={(value) => change({ by: value })}
          data={GROUPS.map((value) => ({ value, label: groups[value] }))}
        />
      </Group>
      <QueryView query={usage}>{(used) => <Content usage={used} by={by} />}</QueryView>
    </>
  );
}

function Content({ usage, by }: { readonly usage: Usage; readonly by: Grouping }) {
  const { totals, columns: heads, none } = t.usage;
  const sums = sumUsage(usage.data);
  const currency = usage.data[0]?.currency;
  const money = (micros: bigint, round = true) =>
    currency === undefined ? '–' : formatMoney(micros, currency, { round });
  return (
    <Stack gap="md">
      <StatTiles>
        <StatTile label={totals.messages} value={formatCount(sums.messages)} />
        <StatTile label={totals.segments} value={formatCount(sums.segments)} />
        <StatTile label={totals.amount} value={money(sums.micros)} />
        <StatTile
          label={totals.average}
          value={sums.messages === 0 ? '–' : money(averageOf(sums.micros, sums.messages), false)}
        />
      </StatTiles>
      <Panel flush>
        <DataTable
          label={t.usage.title}
          rows={groupUsage(usage.data, by)}
          keyOf={({ name }) => name}
          empty={
            <EmptyState icon="usage" title={none.title}>
              {none.about}
            </EmptyState>
          }
          columns={[
            { key: by, head: heads[by], isMain: true, cell: ({ name }) => nameOf(by, name) },
            { key: 'messages', head: heads.messages, isNumber: true, cell: (row) => formatCount(row.sums.messages) },
            {
              key: 'segments',
              head: heads.segments,
              isNumber: true,
              wideOnly: true,
              cell: (row) => formatCount(row.sums.segments),
            },
            { key: 'amount', head: heads.amount, isMoney: true, cell: (row) => money(row.sums.micros, false) },
          ]}
        />
      </Panel>
      <PendingNote usage={usage} />
    </Stack>
  );
}

function nameOf(by: Grouping, name: string): string {
  if (by === 'day') return formatUtcDay(name);
  return by === 'destination' ? destinationName(name) : t.messages.status[name as MessageStatus];
}
