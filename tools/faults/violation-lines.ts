import { countsOf } from '../harness/statistics.js';
import { countsText } from '../harness/table.js';
import type { ScenarioResult } from './result.js';

const VIOLATIONS_SHOWN = 5;
const LINES_SHOWN = 12;

/** What a scenario has violated, and how to run it again; empty when nothing. */
export function violationLines(
  { scenario, queue, faults, violations }: ScenarioResult,
  seed: number,
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
    `  again: npm run faults -- --only ${scenario} --queue ${queue} --seed ${seed} --rounds ${Math.max(1, faults)}`,
    `  everything of this run: ${dir}`,
  ];
}
