import Table from 'cli-table3';
import type { PublishedFigure } from './figures.js';

const HEAD = ['', 'per second: median', 'min', 'max', 'p50 ms', 'p99 ms', 'p99.9 ms', 'ratio', 'unexpected'];

/** The figures as a table for people, without colours, so that it can be pasted. */
export function renderTable(figures: readonly PublishedFigure[]): string {
  const table = new Table({
    head: HEAD,
    style: { head: [], border: [] },
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right'],
  });
  for (const figure of figures) {
    table.push([
      `${figure.title}, ${figure.unit}`,
      wholeNumber(figure.perSecond.median),
      wholeNumber(figure.perSecond.min),
      wholeNumber(figure.perSecond.max),
      milliseconds(figure.p50Ms.median),
      milliseconds(figure.p99Ms.median),
      milliseconds(figure.p999Ms.median),
      [
        ratioText(figure.ratioToYardstick, figure.yardstick),
        ratioText(figure.ratioToSecondYardstick, figure.secondYardstick),
      ]
        .filter((text) => text !== '')
        .join('\n'),
      countsText(figure.unexpected),
    ]);
  }
  return table.toString();
}

/** `0`, or every status and error with its count. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts);
  if (entries.length === 0) return '0';
  return entries.map(([name, count]) => `${name}: ${count}`).join(', ');
}

/** With a comma between thousands, whatever the locale of the machine. */
export function wholeNumber(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function ratioText(ratio: number | undefined, yardstick: string | undefined): string {
  return ratio === undefined ? '' : `${ratio.toFixed(2)} of ${yardstick}`;
}

function milliseconds(value: number): string {
  if (Number.isNaN(value)) return '';
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}
