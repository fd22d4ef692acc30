import type { Bench, Lane } from '../bench.js';
import { deliver, foreignSide, ourSide, type Side, settled } from './against.js';
import { keepUnderWay } from './feeding.js';

/** submit_sm that the carrier takes in a second; the others it answers ESME_RTHROTTLED. */
const CARRIER_PER_SECOND = 100;
/** The same for a faster carrier, which is measured for this service alone. */
const FASTER_PER_SECOND = 200;
/** Enough that there is always something to submit. */
const WAITING = 1_000;
/** How long a gateway has to find the carrier's pace. */
const SETTLING_MS = 10_000;

/**
 * How much of a carrier that takes 100 or 200 messages a second is used when there is always more to send: first by a
 * gateway that has to find the limit by being refused, then by one whose operator has set it.
 */
export async function measureLimited(bench: Bench): Promise<void> {
  for (const perSecond of [CARRIER_PER_SECOND, FASTER_PER_SECOND]) {
    for (const isTold of [false, true]) await measureVariant(bench, perSecond, isTold);
  }
  // What is measured next has a carrier without a limit.
  await tellOurs(bench, undefined);
}

async function measureVariant(bench: Bench, perSecond: number, isTold: boolean): Promise<void> {
  const id = `limited${perSecond === CARRIER_PER_SECOND ? '' : `-${perSecond}`}${isTold ? '-told' : ''}`;
  const title = `delivered, carrier takes ${perSecond}/s${isTold ? ' and the operator has set so' : ''}`;
  const told = isTold ? perSecond : undefined;
  await tellOurs(bench, told);
  const opponent = perSecond === CARRIER_PER_SECOND ? bench.foreign : undefined;
  const isSet = await opponent?.limitItself(told);
  const other = isSet || !isTold ? opponent : undefined;
  const measure = (side: Side) => settled(bench, side, other ? 2 : 1, () => limited(bench, side, perSecond));
  const ours: Lane = { id, title: `ours: ${title}`, measure: () => measure(ourSide(bench, bench.accounts.limited)) };
  if (other === undefined) return bench.inTurns([ours]);
  const yardstick = `${other.id}-${id}`;
  const theirs = { id: yardstick, title: `${other.title}: ${title}`, isForeign: true };
  await bench.inTurns([
    { ...theirs, measure: () => measure(foreignSide(bench, other)) },
    { ...ours, yardstick },
  ]);
}

/** A worker that is started anew knows nothing of the carrier's pace. */
async function tellOurs(bench: Bench, perSecond: number | undefined): Promise<void> {
  await bench.service.stopWorker();
  const setting = perSecond === undefined ? ['--unset', 'tps'] : ['--tps', String(perSecond)];
  await bench.service.smsctl.run('carrier', 'set', 'bench', ...setting);
  bench.service.startWorker();
}

/** Limits the carrier for as long as the load lasts: what is left afterwards is to be gone quickly. */
async function limited(bench: Bench, side: Side, submitsPerSecond: number) {
  const { simulator } = bench.service;
  await simulator.change({ behaviour: { submitsPerSecond } });
  try {
    return await deliver(bench, side, keepUnderWay(WAITING), SETTLING_MS);
  } finally {
    await simulator.change({ behaviour: { submitsPerSecond: 0 } });
  }
}
