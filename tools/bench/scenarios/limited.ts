import type { ForeignGateway } from '../against/foreign-gateway.js';
import type { Bench } from '../bench.js';
import type { Window } from '../figures.js';
import { awaitBinds, drainOurs, foreignTarget, ourTarget } from './against.js';
import { keepUnderWay } from './under-way.js';

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
}

async function measureVariant(bench: Bench, isTold: boolean): Promise<void> {
  const perSecond = isTold ? CARRIER_PER_SECOND : undefined;
  const theirs = { windows: [] as Window[], refused: [] as number[] };
  const ours = { windows: [] as Window[], refused: [] as number[] };
  await tellOurs(bench, isTold);
  const foreign = bench.foreign !== undefined && (await canBeSet(bench.foreign, perSecond)) ? bench.foreign : undefined;
  for (let round = 0; round < bench.options.windows; round++) {
    if (foreign !== undefined) {
      await awaitBinds(bench, 2);
      const before = await bench.service.simulator.counters();
      const { window, accepted, refusedPerSecond } = await limited(bench, () =>
        keepUnderWay(bench, foreignTarget(foreign), WAITING, SETTLING_MS),
      );
      theirs.windows.push(window);
      theirs.refused.push(refusedPerSecond);
      await foreign.settle(before, accepted);
    }
    await awaitBinds(bench, foreign === undefined ? 1 : 2);
    const { window, accepted, refusedPerSecond } = await limited(bench, () =>
      keepUnderWay(bench, ourTarget(bench, 'limited'), WAITING, SETTLING_MS),
    );
    bench.countAccepted(bench.accounts.limited, accepted);
    ours.windows.push(window);
    ours.refused.push(refusedPerSecond);
    await drainOurs(bench, 'limited');
  }
  const id = isTold ? 'limited-told' : 'limited';
  const title = `delivered, carrier takes ${CARRIER_PER_SECOND}/s${isTold ? ' and the operator has set so' : ''}`;
  const yardstick = foreign === undefined ? {} : { yardstick: `${foreign.id}-${id}` };
  if (foreign !== undefined) {
    add(bench, { id: `${foreign.id}-${id}`, title: `${foreign.title}: ${title}`, isForeign: true }, theirs);
  }
  add(bench, { id, title: `ours: ${title}`, ...yardstick }, ours);
}

function add(
  bench: Bench,
  about: { readonly id: string; readonly title: string; readonly yardstick?: string; readonly isForeign?: boolean },
  { windows, refused }: { readonly windows: readonly Window[]; readonly refused: readonly number[] },
): void {
  bench.add({ ...about, unit: 'messages', windows, notes: { refusedPerSecond: refused } });
}

async function canBeSet(foreign: ForeignGateway, perSecond: number | undefined): Promise<boolean> {
  return (await foreign.limitItself(perSecond)) || perSecond === undefined;
}

/** A worker that is started anew knows nothing of the carrier's pace. */
async function tellOurs(bench: Bench, isTold: boolean): Promise<void> {
  await bench.service.stopWorker();
  if (isTold) await bench.service.smsctl.run('carrier', 'set', 'bench', '--tps', String(CARRIER_PER_SECOND));
  else await bench.service.smsctl.run('carrier', 'set', 'bench', '--unset', 'tps');
  bench.service.startWorker();
}

/** Limits the carrier for as long as that takes: what is left afterwards is to be gone quickly. */
async function limited<Result>(bench: Bench, work: () => Promise<Result>): Promise<Result> {
  await bench.service.simulator.limit(CARRIER_PER_SECOND);
  try {
    return await work();
  } finally {
    await bench.service.simulator.limit(0);
  }
}
