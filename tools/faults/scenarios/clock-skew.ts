import type { ServiceProcess } from '../../harness/service-process.js';
import type { Field } from '../field.js';
import type { Scenario } from '../scenario.js';

const OFFSETS_MS = [60_000, -60_000, 3_600_000] as const;
const SKEWED_CLOCK = new URL('../skewed-clock.js', import.meta.url).href;
/** Past the lease, which runs by the database's clock. */
const LENGTH_MS = { usual: [17_000, 40_000], short: [5_000, 8_000] } as const;
const REFUSAL = "this machine's clock is";
/** A client's clock and the database's are the same one here; a request may wait for its commit. */
const CREATED_SLACK = '5 seconds';

export const clockSkew: Scenario = {
  name: 'clock-skew',
  says: 'a gateway and a worker have a clock that is 60 s or 1 h off; with the queue in PostgreSQL the worker refuses',
  recovery: 'gateway and worker with the wrong clock told to stop -> that gateway accepts with the right one',
  rounds: 3,
  async strike(field, round) {
    const { gateways, workers, options } = field.system;
    const [gateway, worker] = [field.random.pick(gateways), field.random.pick(workers)];
    const offsetMs = OFFSETS_MS[round % OFFSETS_MS.length] ?? 0;
    await field.pause(field.random.between(0, 500));
    field.note('clock-skew', `${gateway.name} and ${worker.name} by ${offsetMs} ms`);
    field.clockAheadMs = Math.max(field.clockAheadMs, offsetMs);
    for (const victim of [gateway, worker]) await restartWith(field, victim, offsetMs);
    await gateway.ready(field.signal);
    if (options.queue === 'redis') await worker.ready(field.signal);
    await field.pause(field.lengthMs(LENGTH_MS));
    if (options.queue === 'postgres') expectRefusal(field, worker);
    const fromMs = field.mended('clock-skew');
    for (const victim of [gateway, worker]) await restartWith(field, victim, 0);
    for (const victim of [gateway, worker]) await victim.ready(field.signal);
    field.awaitAccept(fromMs, gateway);
  },
  async conclude(field) {
    const row = await field.facts.wrongTimes(CREATED_SLACK);
    if (row.validity > 0) field.complain(`${row.validity} orders have a validity that is not that of the others`);
    if (row.unordered > 0) field.complain(`${row.unordered} orders were created at a time that their neighbours deny`);
    field.measures.push(`${row.orders} orders with validity and times by the database's clock`);
  },
};

async function restartWith(field: Field, victim: ServiceProcess, offsetMs: number): Promise<void> {
  victim.extraEnvironment =
    offsetMs === 0 ? {} : { NODE_OPTIONS: `--import ${SKEWED_CLOCK}`, FAULTS_CLOCK_OFFSET_MS: String(offsetMs) };
  // A worker that refuses its clock ends by itself, and is started again and again.
  await (victim.isReady ? field.terminate(victim) : victim.terminate());
  await field.pause(300);
}

function expectRefusal(field: Field, worker: ServiceProcess): void {
  if (worker.isReady) field.complain(`${worker.name} works on a queue in PostgreSQL with a wrong clock`);
  else if (!worker.hasEverSaid(REFUSAL)) field.complain(`${worker.name} does not say that its clock is wrong`);
}
