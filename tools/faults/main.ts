/*
 * The fault harness: the real service, each part a process of its own with the settings of production, under load from a
 * client that keeps a diary, while a nemesis kills, stalls, empties and cuts; and a checker that judges afterwards.
 *
 *   main.ts, command-line.ts, run-faults.ts   what is asked for, and the runs that it makes; report-text.ts prints them
 *   run-scenario.ts                           one run: start, load, faults, resolve, settle, check, stop
 *   scenario.ts, scenarios/                   one object for each kind of fault, in a list for each kind of part
 *   field.ts                                  what a scenario works with: processes, links, seed, notes of recoveries
 *   start-stage.ts                            the service as a scenario wants it; tools/harness has its parts
 *   load/                                     the client, in its own process; plan-sends.ts decides by the seed what it sends
 *   history/                                  the client's diary and the carrier's log, as JSON lines
 *   check/                                    pure functions from the evidence to violations; gather-evidence.ts reads it
 *
 * A scenario strikes once in each round: it notes the fault (`field.note`), does it, undoes it (`field.mended`), and hands
 * over what has to recover: `awaitAccept` is measured in the history, `awaitRecovery` on the spot. If segments may reach a
 * handset twice by it, it says so with `allowWindow`; else not one may. It draws victims, moments and lengths from
 * `field.random` alone, so that a seed gives the same faults; what the machine does in between, no seed can give.
 *
 * What must hold after every run:
 *   I1  what was answered as accepted is in the database
 *   I2  the database has one order for each message of a logical send at most, and none that nobody asked for
 *   I3  every order reached the carrier, or failed and was released
 *   I4  segments that the carrier took twice are at most the windows in flight at the deaths of workers and their links
 *   I5  the ledger is clean, and the balances are what the history makes them: drift 0.000000
 *   I6  captured is the price of the different segments that the carrier took
 *   I7  only legal transitions
 *   I8  nothing is open
 *   I9  a receipt that was acknowledged to the carrier is applied, or kept as unmatched
 *   I10 of each message the carrier took what was billed: every segment by number, order and text, or the whole in one piece
 *   client: every send was accepted in the end, and clients saw no more errors than the scenario allows
 *   fault:  what was done could be undone, recovered in time, and ended as it should
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
