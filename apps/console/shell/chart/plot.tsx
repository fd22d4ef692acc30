import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import Uplot from 'uplot';
import { axisSteps, type ChartLines } from './chart-lines.js';

interface PlotProps {
  readonly lines: ChartLines;
  readonly label: string;
  readonly height: number;
  readonly formatMoment: (at: number) => string;
  readonly formatValue: (value: number) => string;
}

const FONT = '12px system-ui, sans-serif';
const BAR_PIXELS_MAX = 28;

/** The drawn chart. Screen readers get its name; the figures are in the table. */
export default function Plot({ lines, label, height, formatMoment, formatValue }: PlotProps) {
  const scheme = useComputedColorScheme('light');
  const { ref, width } = useElementSize<HTMLDivElement>();
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other colours draw another chart.
  useEffect(() => {
    const element = place.current;
    if (element === null || width === 0) return;
    const chart = new Uplot(
      optionsOf(lines, element, width, height, formatMoment, formatValue),
      dataOf(lines),
      element,
    );
    return () => chart.destroy();
  }, [lines, width, height, scheme, formatMoment, formatValue]);
  return (
    <div ref={ref}>
      <div ref={place} role="img" aria-label={label} style={{ height }} />
    </div>
  );
}

/** Bars stand on each other: each series is drawn with those below it added, the tallest one first. */
function dataOf({ moments, series, kind }: ChartLines): Uplot.AlignedData {
  const seconds = moments.map((at) => at / 1_000);
  if (kind === 'lines') return [seconds, ...series.map(({ values }) => [...values])];
  const sums = series.map((_, top) =>
    moments.map((_, at) => series.slice(0, top + 1).reduce((sum, { values }) => sum + (values[at] ?? 0), 0)),
  );
  return [seconds, ...sums.reverse()];
}

function optionsOf(
  lines: ChartLines,
  element: HTMLElement,
  width: number,
  height: number,
  formatMoment: (at: number) => string,
  formatValue: (value: number) => string,
): Uplot.Options {
  const { series, kind, moments } = lines;
  const steps = axisSteps(lines);
  const colorOf = (name: string) => getComputedStyle(element).getPropertyValue(`--mantine-color-${name}`);
  const soft = colorOf('dimmed');
  const line = getComputedStyle(element).getPropertyValue('--line');
  const drawn = kind === 'bars' ? [...series].reverse() : series;
  const bars = Uplot.paths.bars?.({ size: [0.66, BAR_PIXELS_MAX], radius: 0.15 });
  const gap = (moments[1] ?? 0) - (moments[0] ?? 0) || 86_400_000;
  const first = moments[0] ?? 0;
  const last = moments.at(-1) ?? first;
  return {
    width,
    height,
    // The words of the last moment stand half beyond it.
    padding: [8, Math.ceil(widthOf(formatMoment(last)) / 2) + 2, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    scales: {
      x: { time: true, range: [(first - gap / 2) / 1_000, (last + gap / 2) / 1_000] },
      y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      {
        stroke: soft,
        font: FONT,
        grid: { show: false },
        ticks: { show: false },
        space: 64,
        size: 28,
        splits: () => shownMoments(moments, width),
        values: (_chart, splits) => splits.map((at) => formatMoment(at * 1_000)),
      },
      {
        stroke: soft,
        font: FONT,
        size: (_chart, values) => widest(values ?? []) + 8,
        ...(steps !== undefined && { incrs: steps }),
        grid: { stroke: line, width: 1 },
        ticks: { show: false },
        values: (_chart, splits) => differentWords(splits.map(formatValue)),
      },
    ],
    series: [
      {},
      ...drawn.map(({ name, color }) => ({
        label: name,
        stroke: colorOf(color),
        width: kind === 'lines' ? 2 : 0,
        points: { show: false },
        ...(kind === 'bars' && bars !== undefined && { fill: colorOf(color), paths: bars }),
      })),
    ],
  };
}

/** Small figures are rounded to the same words: they stand there once. */
function differentWords(words: readonly string[]): string[] {
  return words.map((word, index) => (word === words[index - 1] ? '' : word));
}

function widest(words: readonly string[]): number {
  return Math.ceil(Math.max(0, ...words.map(widthOf)));
}

function widthOf(words: string): number {
  const pen = document.createElement('canvas').getContext('2d');
  if (pen === null) return 0;
  pen.font = FONT;
  return pen.measureText(words).width;
}

/** As many moments as have room for their words. */
function shownMoments(moments: readonly number[], width: number): number[] {
  const every = Math.max(1, Math.ceil(moments.length / Math.max(1, Math.floor(width / 72))));
  return moments.filter((_, index) => (moments.length - 1 - index) % every === 0).map((at) => at / 1_000);
}
