import { Stack } from '@mantine/core';
import { useMemo } from 'react';
import type { ChartLines } from '../../shell/chart/chart-lines.js';
import { TimeChart } from '../../shell/chart/time-chart.js';
import { formatCount, formatPercent } from '../../shell/format-numbers.js';
import { formatDuration, formatMinute } from '../../shell/format-times.js';
import { PageHead } from '../../shell/frame/page-head.js';
import { Panel } from '../../shell/frame/panel.js';
import { QueryView } from '../../shell/states/query-view.js';
import { StatTile, StatTiles } from '../../shell/states/stat-tile.js';
import { UpdatedNote } from '../../shell/states/updated-note.js';
import { DOCTOR_MS, OVERVIEW_MS, usePolled } from '../parts/use-polled.js';
import { useMay } from '../session/use-session.js';
import { t } from '../words.js';
import { AccountTable } from './account-table.js';
import { CarrierTable } from './carrier-table.js';
import { Findings } from './findings.js';
import { LowAccounts } from './low-accounts.js';
import { MoneyTable } from './money-table.js';
import { type Doctor, notDelivered, type Overview } from './overview.js';
import { ReasonTable } from './reason-table.js';
import { ServiceFacts } from './service-facts.js';

export default function OverviewPage() {
  const may = useMay();
  const overview = usePolled<Overview>('/overview', { everyMs: OVERVIEW_MS });
  const doctor = usePolled<Doctor>('/doctor', { everyMs: DOCTOR_MS, isOn: may('doctor') });
  return (
    <>
      <PageHead title={t.overview.title} actions={<UpdatedNote query={overview} />} />
      <Stack gap="md">
        {may('doctor') && <Findings query={doctor} />}
        <LowAccounts />
        <QueryView query={overview}>{(data) => <Shown overview={data} />}</QueryView>
      </Stack>
    </>
  );
}

function Shown({ overview }: { readonly overview: Overview }) {
  const lines = useMemo(() => linesOf(overview.traffic), [overview.traffic]);
  return (
    <Stack gap="md">
      <Figures overview={overview} />
      <Panel title={t.overview.chart}>
        <TimeChart lines={lines} label={t.overview.chart} formatMoment={formatMinute} height={180} />
      </Panel>
      <CarrierTable overview={overview} />
      <AccountTable overview={overview} />
      <ReasonTable overview={overview} />
      <MoneyTable overview={overview} />
      <ServiceFacts overview={overview} />
    </Stack>
  );
}

function Figures({ overview }: { readonly overview: Overview }) {
  const { traffic, work, workCountMax, carriers, notRouted } = overview;
  const { lastHour, weekBefore, isWeekKnown } = traffic;
  const backlog = carriers.reduce((sum, { waiting }) => sum + waiting.messages, notRouted.messages);
  const waiting = Math.max(work.queued, backlog);
  const ended = lastHour.delivered + notDelivered(lastHour);
  const against = (now: number, then: number) => (isWeekKnown ? compared(now, then) : t.overview.noWeek);
  return (
    <StatTiles>
      <StatTile
        label={t.overview.accepted}
        value={formatCount(lastHour.accepted)}
        note={against(lastHour.accepted, weekBefore.accepted)}
      />
      <StatTile
        label={t.overview.delivered}
        value={formatCount(lastHour.delivered)}
        note={
          ended === 0
            ? against(lastHour.delivered, weekBefore.delivered)
            : t.overview.rate(formatPercent(lastHour.delivered / ended))
        }
      />
      <StatTile
        label={t.overview.failed}
        value={formatCount(notDelivered(lastHour))}
        note={t.overview.failedNote(formatCount(lastHour.undelivered), formatCount(lastHour.failed))}
      />
      <StatTile
        label={t.overview.waiting}
        value={waiting >= workCountMax ? t.overview.atLeast(formatCount(waiting)) : formatCount(waiting)}
        note={
          work.oldestQueuedSeconds === undefined
            ? t.overview.nothingWaits
            : t.overview.oldest(formatDuration(work.oldestQueuedSeconds * 1_000))
        }
      />
    </StatTiles>
  );
}

function compared(now: number, then: number): string {
  if (then === 0) return t.overview.week(formatCount(0));
  const change = (now - then) / then;
  const sign = change > 0 ? '+' : '';
  return t.overview.weekChange(formatCount(then), `${sign}${formatPercent(change)}`);
}

function linesOf({ steps, stepsOfWeekBefore, isWeekKnown }: Overview['traffic']): ChartLines {
  return {
    momentName: t.overview.moment,
    moments: steps.map(({ startedAt }) => Date.parse(startedAt)),
    kind: 'lines',
    series: [
      ...(isWeekKnown
        ? [{ name: t.overview.chartWeek, color: 'gray-5', values: stepsOfWeekBefore.map((step) => step.accepted) }]
        : []),
      { name: t.overview.chartNow, color: 'beam-6', values: steps.map(({ accepted }) => accepted) },
      { name: t.overview.chartDelivered, color: 'teal-6', values: steps.map(({ delivered }) => delivered) },
    ],
  };
}
