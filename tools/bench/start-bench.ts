import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../scripts/process/free-port.js';
import type { Teardown } from '../../scripts/supervisor/teardown.js';
import { Facts } from '../harness/facts.js';
import { type QueueBackEnd, queueOr } from '../harness/queue.js';
import { type DatabasePlace, System } from '../harness/system.js';
import { attachGateway, type ForeignGateway } from './against/foreign-gateway.js';
import { Kannel } from './against/kannel.js';
import { Bench, type BenchRun } from './bench.js';
import type { BenchOptions } from './command-line.js';
import { createFixtures } from './fixtures.js';

/** Shorter windows show that the bench works, and not how fast the service is: they need no server that has run. */
const MEASURES_FROM_MS = 1_000;
/** Files of 16 MB: as many as the server keeps (`min_wal_size`). */
const LOG_FILES = 128;
const SETTINGS = {
  // More than can be: what is measured is how fast reads are, with what the counting costs.
  FREE_REQUESTS_PER_SECOND: '1000000',
};

/** A service of its own with its accounts, ready to be loaded; the worker is not started. */
export async function startBench(run: BenchRun, place?: DatabasePlace): Promise<Bench> {
  const { options, generator, teardown, signal, say } = run;
  const { queue, dir, simulatorPort, scenarios } = options;
  // Only where they are measured: elsewhere nothing runs that nobody asks for.
  const webhooks = scenarios.includes('webhooks') ? 1 : undefined;
  const started = { queue, dir, simulatorPort, webhooks, ...(place && { place }) };
  const service = await startMeasured(started, signal, teardown, SETTINGS);
  if (options.windowMs >= MEASURES_FROM_MS) await recycleLog(service);
  const echoPort = await freePort();
  service.startOther('echo', 'tools/bench/echo/main.js', [String(echoPort)]);
  await service.startApps(signal);
  const facts = new Facts(service.postgres);
  await facts.leaveOutOpenOrders();
  const accounts = await createFixtures(service, options.carrierWindow, {
    many: options.accounts,
    heard: options.webhooks,
  });
  // Beside the service's own database only: what a second one is for has no opponent.
  const foreign = place === undefined ? await startOpponent(run, service) : undefined;
  return new Bench(options, generator, teardown, signal, say, service, echoPort, facts, accounts, foreign);
}

/**
 * Gives the server what one has that has run for a while: files of its log that it has used before, and now overwrites.
 * It fills a new file with zeros first, in the middle of somebody's commit, which takes 20 to 100 ms.
 */
async function recycleLog({ postgres }: System): Promise<void> {
  const oneFile = "perform pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()";
  await postgres.query(`do $$ begin for i in 1..${LOG_FILES} loop ${oneFile}; end loop; end $$`);
  await postgres.query('checkpoint');
}

/** Starts, or waits for, the gateway that ours is compared with. Our worker must not run yet. */
async function startOpponent(run: BenchRun, service: System): Promise<ForeignGateway | undefined> {
  const { options, signal, say, teardown } = run;
  const { against, againstKannel: store, carrierWindow } = options;
  const { simulatorPort } = service;
  if (against !== undefined) {
    say(`the simulator listens on 127.0.0.1:${simulatorPort} for any system_id and password; waiting for a bind ...`);
    return attachGateway(against, service.simulator, signal);
  }
  if (store === undefined) return undefined;
  say('starting Kannel ...');
  return Kannel.start({ store, dir: join(service.dir, 'kannel'), simulatorPort, carrierWindow }, signal, teardown);
}

interface MeasuredOptions extends Pick<BenchOptions, 'dir' | 'simulatorPort'> {
  readonly queue: QueueBackEnd | undefined;
  readonly webhooks?: number | undefined;
  readonly place?: DatabasePlace;
}

/** Servers and simulator in a folder that is removed afterwards. */
export function startMeasured(
  { queue, dir: parent, ...rest }: MeasuredOptions,
  signal: AbortSignal,
  teardown: Teardown,
  settings: Readonly<Record<string, string>>,
): Promise<System> {
  const dir = mkdtempSync(join(parent, 'heliograph-bench-'));
  teardown.add(() => rmSync(dir, { recursive: true, force: true }));
  return System.start({ ...rest, dir, queue: queueOr(queue), simulatorFlags: ['--quiet'], settings }, signal, teardown);
}
