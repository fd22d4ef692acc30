import { writeFileSync } from 'node:fs';
import { parseCommandLine } from './command-line.js';
import { runGuard } from './guard/run-guard.js';
import { renderReport } from './report-text.js';
import { type BenchReport, runBench } from './run-bench.js';

const INTERRUPTED = 130;

const options = parseCommandLine(process.argv.slice(2));
/** However many windows are asked for: a run that does not end is a fault. */
const RUN_TIMEOUT_MS = (60 + options.minutes) * 60_000;
const interruption = new AbortController();
let exitCode = 0;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (interruption.signal.aborted) return; // It is stopping already, and every step of that has its bound.
    process.stderr.write('stopping what was started ...\n');
    exitCode = INTERRUPTED;
    interruption.abort(new Error('interrupted'));
  });
}
const timeout = setTimeout(() => interruption.abort(new Error('the run took too long')), RUN_TIMEOUT_MS);

try {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const reports: BenchReport[] = [];
  const publish = (report: BenchReport) => {
    reports.push(report);
    process.stdout.write(renderReport(report));
    const document = options.isSmoke ? reports : report;
    if (options.jsonFile !== undefined) writeFileSync(options.jsonFile, `${JSON.stringify(document, null, 2)}\n`);
  };
  if (options.isSmoke) {
    if (!(await runGuard(options, interruption.signal, say, publish))) exitCode = 1;
  } else {
    const report = await runBench(options, interruption.signal, say);
    publish(report);
    if (report.checks.some((check) => !check.ok)) exitCode = 1;
  }
} catch (error) {
  exitCode ||= 1;
  // What fails because the run was ended early says nothing about why it was.
  const reason: unknown = interruption.signal.aborted ? interruption.signal.reason : error;
  process.stderr.write(`npm run bench: ${reason instanceof Error ? reason.message : reason}\n`);
} finally {
  clearTimeout(timeout);
}
process.exitCode = exitCode;
