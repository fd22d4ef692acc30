import { countsText, renderTable, wholeNumber } from '../harness/table.js';
import type { MemoryTrend } from '../harness/usage.js';
import type { PageTimes, PublishedFigure } from './figures.js';
import type { BenchReport } from './run-bench.js';

/** In cores. The kernel and this bench need some of it by themselves. */
const STRANGERS_WORTH_SAYING = 0.2;

/** Cores that others kept busy in the figure where it was worst. */
export function sharedCores({ figures }: Pick<BenchReport, 'figures'>): number {
  return Math.max(0, ...figures.map((figure) => figure.cores.others ?? 0));
}

/** The report for people. */
export function renderReport(report: BenchReport): string {
  const { machine, options, opponent, figures } = report;
  const strangers = sharedCores(report);
  const redis = machine.redis === undefined ? '' : `, Redis ${machine.redis}`;
  const lines: (string | false | undefined)[] = [
    `Queue on ${report.queue}; ${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, Node ${machine.node}, ` +
      `PostgreSQL ${machine.postgres}${redis}, fdatasync ${machine.fdatasyncMs.toFixed(2)} ms`,
    `${options.windows} windows of ${options.windowMs / 1_000} s each; ${options.connections} connections, ` +
      `${options.batchConnections} for batches of ${options.batch}`,
    opponent && durabilities(opponent),
    figureTable(figures),
    'Cores kept busy:',
    ...figures.map((figure) => `  ${figure.id}: ${pairs(figure.cores)}`),
    strangers > STRANGERS_WORTH_SAYING &&
      `THE MACHINE WAS NOT OURS ALONE: others kept up to ${strangers.toFixed(2)} cores busy, so compare ratios only`,
    ...stolenLines(report),
    ...figures.map(({ id, notes }) => Object.keys(notes).length > 0 && `${id}: ${pairs(notes)}`),
    ...figures.map(backlogLine),
    ...report.pages.map(pageLine),
    ...report.memory.map(memoryLine),
    ...figures.flatMap(boundLines),
    !options.verify && 'the ledger was not verified (--no-verify)',
    ...report.checks.map(({ ok, name, detail }) => (ok ? `ok   ${name}` : `FAIL ${name}: ${detail}`)),
  ];
  return lines.map((line) => (line ? `${line}\n` : '')).join('');
}

const HEAD = ['', 'per second: median', 'min', 'max', 'p50 ms', 'p99 ms', 'p99.9 ms', 'ratio', 'unexpected'];

export function figureTable(figures: readonly PublishedFigure[]): string {
  const rows = figures.map((figure) => [
    `${figure.title}, ${figure.unit}`,
    ...[figure.perSecond.median, figure.perSecond.min, figure.perSecond.max].map(wholeNumber),
    ...[figure.p50Ms, figure.p99Ms, figure.p999Ms].map(({ median }) => milliseconds(median)),
    [
      ...ratioText(figure.ratioToYardstick, figure.yardstick),
      ...ratioText(figure.ratioToSecondYardstick, figure.secondYardstick),
    ].join('\n'),
    countsText(figure.unexpected),
  ]);
  return renderTable(HEAD, rows);
}

function ratioText(ratio: number | undefined, yardstick: string | undefined): string[] {
  return ratio === undefined ? [] : [`${ratio.toFixed(2)} of ${yardstick}`];
}

function milliseconds(value: number): string {
  if (Number.isNaN(value)) return '';
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}

function stolenLines({ figures, options }: BenchReport): (string | false)[] {
  const disturbed = figures.filter(({ windowsLeftOut }) => windowsLeftOut > 0);
  const hopeless = figures.filter(({ cores }) => (cores.stolen ?? 0) > options.stolenCoresMax);
  const listed = disturbed.map(({ id, windowsLeftOut, windows }) => `${id} ${windowsLeftOut} of ${windows.length}`);
  return [
    listed.length > 0 &&
      `windows left out, in which the host took more than ${options.stolenCoresMax} cores: ${listed.join(', ')}`,
    hopeless.length > 0 &&
      `THE HOST TOOK PART OF THE MACHINE in every window of: ${hopeless.map(({ id }) => id).join(', ')}`,
  ];
}

function backlogLine({ id, windows }: PublishedFigure): string | false {
  const told = windows.flatMap(({ backlog }) =>
    backlog === undefined ? [] : [`${wholeNumber(backlog.start)} and ${wholeNumber(backlog.end)}`],
  );
  return told.length > 0 && `${id}: undelivered at start and end of a window: ${told.join(', ')}; then drained to 0`;
}

/** Whether a figure is as it should be. */
function judged(isKept: boolean, what: string): string {
  return `${isKept ? 'ok  ' : 'LOW '} ${what}`;
}

/** What a figure should not be below or above, and whether it is. */
export function boundLines(figure: PublishedFigure): string[] {
  const { id, unit, floor, ratioToYardstick: ratio, yardstick, perSecondMin, p99MaxMs } = figure;
  const { median: perSecond } = figure.perSecond;
  const { median: p99Ms } = figure.p99Ms;
  const lines: string[] = [];
  if (floor !== undefined && ratio !== undefined) {
    lines.push(judged(ratio >= floor, `${id} is ${ratio.toFixed(2)} of ${yardstick}; the floor is ${floor}`));
  }
  if (perSecondMin !== undefined) {
    const rate = `${wholeNumber(perSecond)} ${unit} a second; the floor is ${wholeNumber(perSecondMin)}`;
    lines.push(judged(perSecond >= perSecondMin, `${id} is ${rate}`));
  }
  if (p99MaxMs !== undefined) {
    const p99 = `a p99 of ${p99Ms.toFixed(0)} ms; at most ${p99MaxMs} is wanted`;
    lines.push(judged(p99Ms <= p99MaxMs, `${id} has ${p99}`));
  }
  return lines;
}

function pageLine({ database, list, page, samples, p50Ms, p99Ms, maxMs, p99Blocks, p99MaxMs }: PageTimes): string {
  const times = `p50 ${p50Ms.toFixed(2)}, p99 ${p99Ms.toFixed(2)}, max ${maxMs.toFixed(2)} ms`;
  const what = `${list}, ${page}, 100 a page, ${database} database, in the server`;
  return judged(p99Ms <= p99MaxMs, `${what}: ${times}, p99 ${p99Blocks} blocks (${samples} pages)`);
}

function memoryLine({ scenario, process, startMb, endMb, maxMb, slopeMb, per, samples }: MemoryTrend): string {
  const [start, end, max] = [startMb, endMb, maxMb].map((megabytes) => megabytes.toFixed(0));
  const trend = `${slopeMb >= 0 ? '+' : ''}${slopeMb.toFixed(1)} MB per ${per}`;
  const held = `${start} MB at the start, ${end} at the end, ${max} at most`;
  return `memory, ${scenario}: ${process} ${held}; ${trend} (${samples} samples)`;
}

/** What each side promises for its rate. */
function durabilities({ title, durability }: { readonly title: string; readonly durability: string }): string {
  return `Against ${title}: ${durability}. Ours: charged, committed and on disk (fsync) before the answer.`;
}

function pairs(values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== 0)
    .map(([name, value]) => `${name} ${value < 100 ? value.toFixed(2) : wholeNumber(value)}`)
    .join(', ');
}
