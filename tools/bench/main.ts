import { writeFileSync } from 'node:fs';
import { runTask } from '../harness/run-task.js';
import { parseCommandLine } from './command-line.js';
import { runGuard } from './guard/run-guard.js';
import { renderReport } from './report-text.js';
import { type BenchReport, runBench } from './run-bench.js';

const options = parseCommandLine(process.argv.slice(2));

await runTask('npm run bench', (60 + options.minutes) * 60_000, async (signal, say) => {
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
