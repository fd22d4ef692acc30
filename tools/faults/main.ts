/*
 * The fault harness: the real service, each part a process of its own with the settings of production, under load from a
 * client that keeps a diary, while a nemesis kills, stalls, empties and cuts; and a checker that judges afterwards.
 *
 *   main.ts, command-line.ts, run-faults.ts   what is asked for, and the runs that it makes; report-text.ts prints them
 *   run-scenario.ts                           one run: start, load, faults, resolve, settle, check, measure, stop
 *   scenario.ts, scenarios/                   one file for each kind of fault; a new one is added to scenarios/index.ts
 *   field.ts                                  what a scenario has in hand: processes, links, seed, the book of recoveries
 *   system/                                   the parts: PostgreSQL, Redis, supervised processes, links through a proxy
 *   load/                                     the client, in its own process; plan-sends.ts decides by the seed what it sends
 *   history/                                  the client's diary and the carrier's log, as JSON lines
 *   receipts/                                 the scenarios about receipts: their load, their oracle, their judge in SQL
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
 *   I8  nothing is open, except what waits for a receipt that was withheld
 *   I9  a receipt that was acknowledged to the carrier is applied or parked
 *   I10 of each message the carrier took what was billed: every segment by number, order and text, or the whole in one piece
 *   client: every send was accepted in the end, and clients saw no more errors than the scenario allows
 *   fault:  what was done could be undone, recovered in time, and ended as it should
 */
import { writeFileSync } from 'node:fs';
import { parseCommandLine } from './command-line.js';
import { renderReport } from './report-text.js';
import { runFaults } from './run-faults.js';
import { SCENARIOS } from './scenarios/index.js';

/** However many rounds are asked for: a run that does not end is a fault. */
const RUN_TIMEOUT_MS = 12 * 60 * 60_000;
const INTERRUPTED = 130;

const options = parseCommandLine(process.argv.slice(2));
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

if (options.isList) {
  const width = Math.max(...SCENARIOS.map(({ name }) => name.length));
  for (const { name, says } of SCENARIOS) process.stdout.write(`${name.padEnd(width)}  ${says}\n`);
} else {
  await run();
}
process.exitCode = exitCode;

async function run(): Promise<void> {
  const timeout = setTimeout(() => interruption.abort(new Error('the run took too long')), RUN_TIMEOUT_MS);
  try {
    const report = await runFaults(options, interruption.signal, (line) => process.stderr.write(`${line}\n`));
    process.stdout.write(renderReport(report));
    if (options.jsonFile !== undefined) writeFileSync(options.jsonFile, `${JSON.stringify(report, null, 2)}\n`);
    const violations = report.results.reduce((sum, result) => sum + result.violations.length, 0);
    if (violations > 0) {
      exitCode = 1;
      process.stderr.write(`npm run faults: ${violations} violations, seed ${report.seed}\n`);
    }
  } catch (error) {
    exitCode ||= 1;
    // What fails because the run was ended early says nothing about why it was.
    const reason: unknown = interruption.signal.aborted ? interruption.signal.reason : error;
    process.stderr.write(
      `npm run faults: ${reason instanceof Error ? reason.message : reason} (seed ${options.seed})\n`,
    );
  } finally {
    clearTimeout(timeout);
  }
}
