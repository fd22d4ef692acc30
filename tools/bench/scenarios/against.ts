import { acceptedStatusOf } from '../../harness/load/dialects.js';
import type { SimulatorCounters } from '../../harness/simulator-control.js';
import type { ForeignGateway } from '../against/foreign-gateway.js';
import type { Bench, Load, LoadWindow } from '../bench.js';
import type { Window } from '../figures.js';
import type { BenchAccounts } from '../fixtures.js';
import { feedWindow, keepUnderWay } from './feeding.js';
import { drain, singles } from './loads.js';

const DRAIN_TIMEOUT_MS = 600_000;
const BIND_TIMEOUT_MS = 60_000;
/** Of what Kannel with its file store accepts while both dispatch, by the number of our accounts. */
const FLOORS: Readonly<Record<string, number>> = { '1': 1.1, '1000': 0.85 };

/**
 * Another gateway's send API and ours: the same texts from the same generator, the same simulator behind both, window
 * by window in turns. Whoever has the turn has the machine: the other is idle, with nothing left to deliver. Ours has
 * the turn twice, with many accounts and with one, because the other has no accounts.
 */
export async function measureAgainst(bench: Bench): Promise<void> {
  const { foreign, options, accounts, service } = bench;
  if (foreign === undefined) throw new Error('nothing to compare with: give --against or --against-kannel');
  service.startWorker();
  await awaitBinds(bench, 2);
  const other = foreignSide(bench, foreign);
  const ours = { ours: ourSide(bench, accounts.many), 'ours-hot': ourSide(bench, accounts.against) };
  const inTurns = (id: string, title: string, run: (side: Side) => Promise<Window>, floors: typeof FLOORS = {}) =>
    bench.inTurns([
      { id: `${foreign.id}-${id}`, title: `${foreign.title}: ${title}`, isForeign: true, measure: () => run(other) },
      ...Object.entries(ours).map(([name, side]) => ({
        id: `${name}-${id}`,
        title: `ours: ${title}, ${side.load.title}`,
        yardstick: `${foreign.id}-${id}`,
        floor: floors[side.load.id],
        measure: () => run(side),
      })),
    ]);

  const accepting = (side: Side) => settled(bench, side, 2, () => accept(bench, side));
  const delivering = (side: Side) => settled(bench, side, 2, () => deliver(bench, side));
  const floors = options.againstKannel === 'file' ? FLOORS : {};
  // What is accepted faster than it is dispatched is the backlog.
  await inTurns('dispatching', 'single sends accepted, while dispatching', accepting, floors);
  await inTurns('delivered', `accepted to delivered, ${options.outstanding} at once`, delivering);

  // The same with nobody dispatching: our worker is stopped, and the carrier is shut to the other.
  const { simulator } = service;
  await service.stopWorker();
  const before = await simulator.counters();
  await simulator.change({ refusesBinds: true, disconnects: true });
  let owed = 0;
  await inTurns('alone', 'single sends accepted, nobody dispatching', async (side) => {
    const window = await accept(bench, side);
    if (side === other) owed += window.answeredInAll;
    if (side === other && foreign.isDisposable) await foreign.settle(before, 0);
    return window;
  });
  await simulator.change({ refusesBinds: false });
  await foreign.settle(before, owed);
}

/** One of those that are compared. */
export interface Side {
  readonly load: Load;
  /** Gets rid of everything that it has accepted since, so that it is idle while the other has the turn. */
  settle(before: SimulatorCounters, accepted: number): Promise<void>;
}

export function ourSide(bench: Bench, accounts: BenchAccounts) {
  return { load: singles(bench, accounts), settle: () => drain(bench, DRAIN_TIMEOUT_MS) };
}

export function foreignSide({ options }: Bench, gateway: ForeignGateway): Side {
  const { dialect, path, port } = gateway.target;
  const request = { kind: 'foreign', dialect, path } as const;
  const { connections } = options;
  return {
    load: { port, request, expectedStatus: acceptedStatusOf(dialect), connections },
    settle: (before, accepted) => gateway.settle(before, accepted),
  };
}

/** A turn that begins when so many binds are at the simulator, and ends when the side has nothing left to deliver. */
export async function settled(
  bench: Bench,
  side: Side,
  binds: number,
  measure: () => Promise<LoadWindow>,
): Promise<Window> {
  await awaitBinds(bench, binds);
  const before = await bench.service.simulator.counters();
  const window = await measure();
  await side.settle(before, window.answeredInAll);
  return window;
}

async function awaitBinds(bench: Bench, count: number): Promise<void> {
  await bench.until(`${count} binds at the simulator`, BIND_TIMEOUT_MS, async () => {
    return (await bench.service.simulator.state()).binds.length >= count;
  });
}

/** Closed load, and what the carrier gets meanwhile. */
async function accept(bench: Bench, { load }: Side): Promise<LoadWindow> {
  const { simulator } = bench.service;
  const before = await simulator.counters();
  const startedAt = performance.now();
  const window = await bench.measure(load);
  const after = await simulator.counters();
  const seconds = (performance.now() - startedAt) / 1_000;
  const delivered = after.receiptsAcknowledged - before.receiptsAcknowledged;
  const notes = {
    submittedPerSecondMeanwhile: (after.taken - before.taken) / seconds,
    undeliveredAtTheEnd: window.answeredInAll - delivered,
  };
  return { ...window, notes };
}

/** Fed load: what is delivered, counted at the simulator in the same way for every gateway. */
export async function deliver(
  bench: Bench,
  side: Side,
  allowance = keepUnderWay(bench.options.outstanding),
  warmupMs = bench.options.warmupMs,
): Promise<LoadWindow> {
  const { windowMs } = bench.options;
  const { from, to, cores, backlog, load } = await feedWindow(bench, side.load, allowance, { warmupMs, windowMs });
  const { p50Ms, p99Ms, p999Ms, unexpected, answeredInAll } = load;
  const seconds = (to.atMs - from.atMs) / 1_000;
  const perSecond = (to.delivered - from.delivered) / seconds;
  const notes = { refusedPerSecond: (to.refused - from.refused) / seconds };
  return { perSecond, p50Ms, p99Ms, p999Ms, unexpected, cores, backlog, answeredInAll, notes };
}
