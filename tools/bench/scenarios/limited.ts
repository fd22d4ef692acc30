import type { Bench, Lane, Measured } from '../bench.js';
import { awaitBinds, drainOurs, foreignTarget, ourTarget } from './against.js';
import { keepUnderWay, type SendTarget } from './feeding.js';

/** submit_sm that the carrier takes in a second; the others it answers ESME_RTHROTTLED. */
const CARRIER_PER_SECOND = 100;
/** Enough that there is always something to submit. */
const WAITING = 1_000;
/** How long a gateway has to find the carrier's pace. */
const SETTLING_MS = 10_000;

/**
 * How much of a carrier that takes 100 messages a second is used when there is always more to send: first by a gateway that
 * has to find the limit by being refused, then by one whose operator has set it.
 */
export async function measureLimited(bench: Bench): Promise<void> {
  for (const isTold of [false, true]) await measureVariant(bench, isTold);
  // What is measured next has a carrier without a limit.
  await tellOurs(bench, false);
}

async function measureVariant(bench: Bench, isTold: boolean): Promise<void> {
  const perSecond = isTold ? CARRIER_PER_SECOND : undefined;
  const id = isTold ? 'limited-told' : 'limited';
  const title = `delivered, carrier takes ${CARRIER_PER_SECOND}/s${isTold ? ' and the operator has set so' : ''}`;
  await tellOurs(bench, isTold);
  const { foreign } = bench;
  const lanes: Lane[] = [];
  let binds = 1;
  if (foreign !== undefined && ((await foreign.limitItself(perSecond)) || !isTold)) {
    binds = 2;
    const about = { id: `${foreign.id}-${id}`, title: `${foreign.title}: ${title}`, isForeign: true };
    lanes.push({
      figure: { ...about, unit: 'messages' },
      measure: async () => {
        await awaitBinds(bench, binds);
        const before = await bench.service.simulator.counters();
        const { accepted, ...measured } = await limited(bench, foreignTarget(foreign));
        await foreign.settle(before, accepted);
        return measured;
      },
    });
  }
  const yardstick = lanes[0] === undefined ? {} : { yardstick: lanes[0].figure.id };
  lanes.push({
    figure: { id, title: `ours: ${title}`, unit: 'messages', ...yardstick },
    measure: async () => {
      await awaitBinds(bench, binds);
      const target = ourTarget(bench, bench.accounts.limited);
      const { accepted, ...measured } = await limited(bench, target);
      bench.countAccepted(target.accounts, accepted);
      await drainOurs(bench);
      return measured;
    },
  });
  await bench.inTurns(lanes);
}

/** A worker that is started anew knows nothing of the carrier's pace. */
async function tellOurs(bench: Bench, isTold: boolean): Promise<void> {
  await bench.service.stopWorker();
  const setting = isTold ? ['--tps', String(CARRIER_PER_SECOND)] : ['--unset', 'tps'];
  await bench.service.smsctl.run('carrier', 'set', 'bench', ...setting);
  bench.service.startWorker();
}

/** Limits the carrier for as long as the load lasts: what is left afterwards is to be gone quickly. */
async function limited(bench: Bench, target: SendTarget): Promise<Measured & { readonly accepted: number }> {
  await bench.service.simulator.change({ behaviour: { submitsPerSecond: CARRIER_PER_SECOND } });
  try {
    const { window, accepted, refusedPerSecond } = await keepUnderWay(bench, target, WAITING, SETTLING_MS);
    return { window, accepted, notes: { refusedPerSecond } };
  } finally {
    await bench.service.simulator.change({ behaviour: { submitsPerSecond: 0 } });
  }
}
