/*
 * The fault harness: the real service, each part a process of its own with the settings of production, under load from
 * a client that writes down what it sends and is told. Scenarios kill, stall, empty and cut the parts; a checker judges
 * afterwards by the invariants of docs/faults.md.
 *
 *   main.ts, command-line.ts, run-faults.ts  what is asked for, and the runs that it makes; report-text.ts prints them
 *   run-scenario.ts, result.ts               one run: start, load, faults, repeats, settle, check, stop; what it says
 *   scenario.ts, scenarios/                  one object for each kind of fault, in a list for each kind of part
 *   field.ts                                 what a scenario works with: processes, links, seed, notes of recoveries
 *   start-stage.ts                           the service as a scenario wants it; tools/harness has its parts
 *   load/                                    the client, in its own process; the seed decides what it sends
 *   history/                                 what the client wrote down and the carrier's log, as JSON lines
 *   check/                                   functions from the evidence to violations; gather-evidence.ts reads it
 *
 * A scenario strikes once in each round: it notes the fault (`field.note`), does it, and undoes it (`field.mended`;
 * `field.spoil` does all three). Then it hands over what has to recover: `awaitAccept` is measured in the history,
 * `awaitRecovery` on the spot. If segments may reach a handset twice by it, it says so with `allowWindow`; else not one
 * may. What it sends itself goes out by `field.send`, whose history is judged like that of the load. It draws victims,
 * moments and lengths from `field.random` alone, so that a seed gives the same faults; it does not give what the
 * machine does in between.
 */
import { writeFileSync } from 'node:fs';
import { runTask } from '../harness/run-task.js';
import { parseCommandLine } from './command-line.js';
import { renderReport } from './report-text.js';
import { runFaults } from './run-faults.js';
import { SCENARIOS } from './scenarios/index.js';

/** However many rounds are asked for. */
const RUN_TIMEOUT_MS = 12 * 60 * 60_000;

const options = parseCommandLine(process.argv.slice(2));

if (options.list) {
  const width = Math.max(...SCENARIOS.map(({ name }) => name.length));
  for (const { name, says } of SCENARIOS) process.stdout.write(`${name.padEnd(width)}  ${says}\n`);
} else {
  await runTask(`npm run faults, seed ${options.seed}`, RUN_TIMEOUT_MS, async (signal, say) => {
    const report = await runFaults(options, signal, say);
    process.stdout.write(renderReport(report));
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
    const violations = report.results.reduce((sum, result) => sum + result.violations.length, 0);
    if (violations > 0) say(`npm run faults: ${violations} violations, seed ${report.seed}`);
    return violations === 0;
  });
}
