import { writeFileSync } from 'node:fs';
import { runTask } from '../harness/run-task.js';
import { parseCommandLine } from './command-line.js';
import { runGuard } from './guard/run-guard.js';
import { renderReport } from './report-text.js';
import { type BenchReport, runBench } from './run-bench.js';

/** What a run waits for beside its windows and its soak takes less than an hour. */
const WAITS_MS = 60 * 60_000;
/** More than all scenarios together have. */
const FIGURES_MAX = 150;
/** The longest that a timer of Node runs. */
const TIMER_MAX_MS = 2 ** 31 - 1;

const options = parseCommandLine(process.argv.slice(2));
const windowsMs = FIGURES_MAX * options.windows * (options.warmupMs + options.windowMs);
const timeoutMs = Math.min(WAITS_MS + options.minutes * 60_000 + windowsMs, TIMER_MAX_MS);

await runTask('npm run bench', timeoutMs, async (signal, say) => {
  const reports: BenchReport[] = [];
  const publish = (report: BenchReport) => {
    reports.push(report);
    process.stdout.write(renderReport(report));
    const document = options.smoke ? reports : report;
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(document, null, 2)}\n`);
  };
  if (options.smoke) return runGuard(options, signal, say, publish);
  const report = await runBench(options, signal, say);
  publish(report);
  return report.checks.every(({ ok }) => ok);
});
