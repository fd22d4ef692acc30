import { acceptedStatusOf } from '../../harness/load/dialects.js';
import type { SimulatorCounters } from '../../harness/simulator-control.js';
import type { ForeignGateway } from '../against/foreign-gateway.js';
import type { Bench, Lane, Measured } from '../bench.js';
import type { BenchAccounts } from '../fixtures.js';
import { type Allowance, feedWindow, keepUnderWay } from './feeding.js';
import { drain, jobOf, type SendTarget, singles } from './loads.js';

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
  const ours = [
    { name: 'ours', side: ourSide(bench, accounts.many) },
    { name: 'ours-hot', side: ourSide(bench, accounts.against) },
  ];
  const measurePhase = ({ id, title, floors = {}, run }: Phase): Promise<void> => {
    const yardstick = `${foreign.id}-${id}`;
    return bench.inTurns([
      {
        figure: { id: yardstick, title: `${foreign.title}: ${title}`, unit: 'messages', isForeign: true },
        measure: () => run(foreignSide(bench, foreign)),
      },
      ...ours.map(({ name, side }): Lane => {
        const floor = floors[side.id];
        const about = { id: `${name}-${id}`, title: `ours: ${title}, ${side.title}`, ...(floor && { floor }) };
        return { figure: { ...about, unit: 'messages', yardstick }, measure: () => run(side) };
      }),
    ]);
  };

  // What is accepted faster than it is dispatched is the backlog.
  const isFileStore = options.opponent?.kind === 'kannel' && options.opponent.store === 'file';
  await measurePhase({
    id: 'dispatching',
    title: 'single sends accepted, while dispatching',
    floors: isFileStore ? FLOORS : {},
    run: (side) => settled(bench, side, 2, () => accept(bench, side)),
  });
  await measurePhase({
    id: 'delivered',
    title: `accepted to delivered, ${options.outstanding} at once`,
    run: (side) => settled(bench, side, 2, () => deliver(bench, side, keepUnderWay(options.outstanding))),
  });

  // The same with nobody dispatching: our worker is stopped, and the carrier is shut to the other.
  const { simulator } = service;
  await service.stopWorker();
  const before = await simulator.counters();
  await simulator.change({ refusesBinds: true, disconnects: true });
  let owed = 0;
  await measurePhase({
    id: 'alone',
    title: 'single sends accepted, nobody dispatching',
    run: async (side) => {
      const { accepted, ...measured } = await accept(bench, side);
      side.count(accepted);
      if (side.isForeign) owed += accepted;
      if (side.isForeign && foreign.isDisposable) await foreign.settle(before, 0);
      return measured;
    },
  });
  await simulator.change({ refusesBinds: false });
  await foreign.settle(before, owed);
}

interface Phase {
  /** Of the figures' ids. */
  readonly id: string;
  readonly title: string;
  /** By the number of our accounts. */
  readonly floors?: Readonly<Record<string, number>>;
  readonly run: (side: Side) => Promise<Measured>;
}

/** One of those that are compared. */
export interface Side {
  readonly id: string;
  readonly title: string;
  readonly isForeign: boolean;
  readonly target: SendTarget;
  /** Notes that so many messages were answered as accepted. */
  count(accepted: number): void;
  /** Gets rid of everything that it has accepted since, so that it is idle while the other has the turn. */
  settle(before: SimulatorCounters, accepted: number): Promise<void>;
}

export function ourSide(bench: Bench, accounts: BenchAccounts): Side {
  const load = singles(bench, accounts);
  return {
    id: load.id,
    title: load.title,
    isForeign: false,
    target: load,
    count: (accepted) => bench.countAccepted(accounts, accepted),
    settle: () => drain(bench, DRAIN_TIMEOUT_MS),
  };
}

export function foreignSide({ options }: Bench, gateway: ForeignGateway): Side {
  const { dialect, path, port } = gateway.target;
  const request = { kind: 'foreign', dialect, path } as const;
  return {
    id: gateway.id,
    title: gateway.title,
    isForeign: true,
    target: { port, request, expectedStatus: acceptedStatusOf(dialect), connections: options.connections },
    count: () => undefined,
    settle: (before, accepted) => gateway.settle(before, accepted),
  };
}

export type Accepted = Measured & { readonly accepted: number };

/** A turn that begins when so many binds are at the simulator, and ends when the side has nothing left to deliver. */
export async function settled(
  bench: Bench,
  side: Side,
  binds: number,
  measure: () => Promise<Accepted>,
): Promise<Measured> {
  await awaitBinds(bench, binds);
  const before = await bench.service.simulator.counters();
  const { accepted, ...measured } = await measure();
  side.count(accepted);
  await side.settle(before, accepted);
  return measured;
}

async function awaitBinds(bench: Bench, count: number): Promise<void> {
  await bench.until(`${count} binds at the simulator`, BIND_TIMEOUT_MS, async () => {
    return (await bench.service.simulator.state()).binds.length >= count;
  });
}

/** Closed load, and what the carrier gets meanwhile. */
async function accept(bench: Bench, { target }: Side): Promise<Accepted> {
  const { simulator } = bench.service;
  const before = await simulator.counters();
  const startedAt = performance.now();
  const { window, result } = await bench.measure(jobOf(target));
  const after = await simulator.counters();
  const seconds = (performance.now() - startedAt) / 1_000;
  const accepted = result.answeredInAll;
  return {
    window,
    accepted,
    notes: {
      submittedPerSecondMeanwhile: (after.taken - before.taken) / seconds,
      undeliveredAtTheEnd: accepted - (after.receiptsAcknowledged - before.receiptsAcknowledged),
    },
  };
}

/** Fed load: what is delivered, counted at the simulator in the same way for every gateway. */
export async function deliver(
  bench: Bench,
  { target }: Side,
  allowance: Allowance,
  warmupMs = bench.options.warmupMs,
): Promise<Accepted> {
  const lengths = { warmupMs, windowMs: bench.options.windowMs };
  const { from, to, cores, load } = await feedWindow(bench, target, allowance, lengths);
  const { p50Ms, p99Ms, p999Ms, unexpected } = load;
  const seconds = (to.atMs - from.atMs) / 1_000;
  const perSecond = (to.delivered - from.delivered) / seconds;
  const backlog = { start: from.undelivered, end: to.undelivered };
  return {
    window: { perSecond, p50Ms, p99Ms, p999Ms, unexpected, cores, backlog },
    accepted: load.answeredInAll,
    notes: { refusedPerSecond: (to.refused - from.refused) / seconds },
  };
}
