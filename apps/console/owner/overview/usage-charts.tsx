import { useMemo } from 'react';
import type { Usage } from '#client';
import type { ChartLines } from '../../shell/chart/chart-lines.js';
import { TimeChart } from '../../shell/chart/time-chart.js';
import { formatCount, formatMoney } from '../../shell/format-numbers.js';
import { formatShortUtcDay } from '../../shell/format-times.js';
import { sumUsage } from '../usage/usage-sums.js';
import { t } from '../words.js';

interface ChartProps {
  readonly usage: Usage;
  readonly days: readonly string[];
}

function sumsByDay({ usage, days }: ChartProps) {
  return days.map((day) => sumUsage(usage.data.filter((item) => item.day === day)));
}

export function TrafficChart({ usage, days }: ChartProps) {
  const lines = useMemo<ChartLines>(() => {
    const sums = sumsByDay({ usage, days });
    const { series } = t.overview;
    return {
      kind: 'bars',
      momentName: t.overview.day,
      moments: days.map((day) => Date.parse(day)),
      series: [
        { name: series.delivered, color: 'beam-6', values: sums.map(({ delivered }) => delivered) },
        {
          name: series.open,
          color: 'beam-2',
          values: sums.map(({ messages, delivered, lost }) => messages - delivered - lost),
        },
        { name: series.lost, color: 'red-6', values: sums.map(({ lost }) => lost) },
      ],
    };
  }, [usage, days]);
  return (
    <TimeChart
      lines={lines}
      label={t.overview.traffic}
      formatMoment={formatShortUtcDay}
      formatValue={formatCount}
      height={190}
    />
  );
}

const MICROS = 1_000_000;

export function SpendChart({ usage, days, currency }: ChartProps & { readonly currency: string }) {
  const lines = useMemo<ChartLines>(
    () => ({
      kind: 'bars',
      momentName: t.overview.day,
      moments: days.map((day) => Date.parse(day)),
      // The height of a bar, not a sum that anybody adds to.
      series: [
        {
          name: t.overview.spent,
          color: 'teal-6',
          values: sumsByDay({ usage, days }).map(({ micros }) => Number(micros) / MICROS),
        },
      ],
    }),
    [usage, days],
  );
  const format = useMemo(() => (value: number) => formatMoney(value.toFixed(2), currency, { round: true }), [currency]);
  return (
    <TimeChart
      lines={lines}
      label={t.overview.spend}
      formatMoment={formatShortUtcDay}
      formatValue={format}
      height={190}
    />
  );
}
