import { Button, Skeleton, Table } from '@mantine/core';
import { useState } from 'react';
import { formatShort } from '../format-numbers.js';
import { loadLater } from '../load-later.js';
import { words } from '../words.js';
import type { ChartLines } from './chart-lines.js';
import classes from './time-chart.module.css';

// uPlot is loaded with the first chart.
const Plot = loadLater(
  () => import('./plot.js'),
  ({ height }) => <Skeleton height={height} />,
);

interface TimeChartProps {
  readonly lines: ChartLines;
  /** What the chart shows, for screen readers. */
  readonly label: string;
  readonly formatMoment: (at: number) => string;
  readonly formatValue?: (value: number) => string;
  readonly height?: number;
}

/** Figures over time, as a chart or as a table that says the same. */
export function TimeChart({ lines, label, formatMoment, formatValue = formatShort, height = 200 }: TimeChartProps) {
  const [isTable, setIsTable] = useState(false);
  return (
    <figure className={classes.figure} aria-label={label}>
      <figcaption className={classes.legend}>
        <span className={classes.names}>
          {lines.series.map(({ name, color }) => (
            <span key={name} className={classes.name}>
              <svg width="10" height="10" aria-hidden="true">
                <rect width="10" height="10" rx="2" fill={`var(--mantine-color-${color})`} />
              </svg>
              {name}
            </span>
          ))}
        </span>
        <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setIsTable(!isTable)}>
          {isTable ? words.chart.asChart : words.chart.asTable}
        </Button>
      </figcaption>
      {isTable ? (
        <ChartTable lines={lines} label={label} formatMoment={formatMoment} formatValue={formatValue} />
      ) : (
        <Plot lines={lines} label={label} height={height} formatMoment={formatMoment} formatValue={formatValue} />
      )}
    </figure>
  );
}

function ChartTable({ lines, label, formatMoment, formatValue }: Required<Omit<TimeChartProps, 'height'>>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what has the focus.
    <section className={classes.table} aria-label={label} tabIndex={0}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{lines.momentName}</Table.Th>
            {lines.series.map(({ name }) => (
              <Table.Th key={name} scope="col" ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.moments.map((at, row) => (
            <Table.Tr key={at}>
              <Table.Td>{formatMoment(at)}</Table.Td>
              {lines.series.map(({ name, values }) => (
                <Table.Td key={name} ta="right" className="number">
                  {formatValue(values[row] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
