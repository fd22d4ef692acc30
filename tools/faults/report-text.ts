import { countsOf } from '../harness/statistics.js';
import { countsText, renderTable, wholeNumber } from '../harness/table.js';
import type { FaultReport, ScenarioResult } from './result.js';

const HEAD = [
  'scenario',
  'faults',
  'acknowledged',
  'lost',
  'unknown',
  'twice (most)',
  'drift',
  'recovery p50/p99/max s',
];
const VIOLATIONS_SHOWN = 5;
const LINES_SHOWN = 12;

/** The report for people. */
export function renderReport(report: FaultReport): string {
  const lines = [
    renderTable([...HEAD, ''], report.results.map(rowOf)),
    'acknowledged: messages answered as accepted. unknown: sends without an answer at first = had been accepted +',
    'accepted when asked again + refused then + still open. twice: segments that the carrier took more than once',
    '(what windows excuse).',
    ...report.results.map(({ scenario, queue, recoveryMeans, seconds, settings, ...rest }) => {
      const changed = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
      const shortened = changed.length === 0 ? 'settings at their defaults' : `WITH ${changed.join(' ')}`;
      const measures = rest.measures.map((said) => `; ${said}`).join('');
      const states = Object.entries(rest.states).map(([state, count]) => `${wholeNumber(count)} ${state}`);
      return (
        `${scenario} on ${queue}: ${seconds} s, ${shortened}; ${states.join(', ')}; attempts refused ` +
        `${rest.refusedAttempts}, without connection ${rest.unreachedAttempts}; processes that ended unasked ` +
        `${rest.unaskedEnds}; recovery: ${recoveryMeans}${latencyOf(rest)}${measures}`
      );
    }),
    ...report.results.flatMap((result) => violationLines(result, report.dir)),
  ];
  return `${lines.join('\n')}\n`;
}

function latencyOf({ acceptLatency }: Pick<ScenarioResult, 'acceptLatency'>): string {
  const { calmP99Ms, faultP99Ms } = acceptLatency;
  if (calmP99Ms === undefined || faultP99Ms === undefined) return '';
  return `; accept p99 ${wholeNumber(faultP99Ms)} ms during faults, ${wholeNumber(calmP99Ms)} ms otherwise`;
}

/** The row of a scenario, as a line of a log. */
export function figuresOf(result: ScenarioResult): string {
  const [, ...cells] = rowOf(result);
  const names = HEAD.slice(1);
  return [cells.at(-1), ...cells.slice(0, -1).map((cell, index) => `${names[index]} ${cell}`)].join(', ');
}

function rowOf(result: ScenarioResult): string[] {
  const { recovery, unknown, violations } = result;
  return [
    `${result.scenario} (${result.queue})`,
    wholeNumber(result.faults),
    wholeNumber(result.acknowledged),
    wholeNumber(result.lost),
    `${unknown.sends} = ${unknown.hadBeenAccepted} + ${unknown.acceptedLater} + ${unknown.refused} + ${unknown.open}`,
    `${result.duplicates} (${result.duplicatesMax})`,
    result.drift,
    recovery === undefined ? '-' : [recovery.p50Ms, recovery.p99Ms, recovery.maxMs].map(seconds).join(' / '),
    violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`,
  ];
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(2);
}

/** What a scenario has violated, and how to run it again; empty when nothing. */
export function violationLines(
  { scenario, queue, again, violations }: ScenarioResult,
  dir: string | undefined,
): string[] {
  if (violations.length === 0) return [];
  const counts = countsOf(violations.map(({ invariant }) => invariant));
  const shown = violations
    .slice(0, VIOLATIONS_SHOWN)
    .flatMap(({ invariant, says, lines }) => [
      `  ${invariant}: ${says}`,
      ...lines.slice(0, LINES_SHOWN).map((line) => `      ${line}`),
      ...(lines.length > LINES_SHOWN ? [`      ... ${lines.length - LINES_SHOWN} lines more`] : []),
    ]);
  return [
    `${scenario} on ${queue}: ${violations.length} violations: ${countsText(counts)}`,
    ...shown,
    ...(violations.length > VIOLATIONS_SHOWN ? [`  ... ${violations.length - VIOLATIONS_SHOWN} violations more`] : []),
    `  again: npm run faults -- ${again}`,
    `  everything of this run: ${dir}`,
  ];
}
