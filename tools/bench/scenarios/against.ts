import { awaitFact } from '../../harness/await-fact.js';
import { acceptedStatusOf } from '../../harness/load/dialects.js';
import type { ForeignGateway } from '../against/attached-gateway.js';
import type { Bench, Lane, Measured } from '../bench.js';
import type { BenchAccounts } from '../fixtures.js';
import { keepUnderWay, type SendTarget } from './feeding.js';
import { CREATED, drain, singles } from './loads.js';

const DRAIN_TIMEOUT_MS = 600_000;
const BIND_TIMEOUT_MS = 60_000;
/** Of what Kannel with its file store accepts while both dispatch, by the number of our accounts. */
const FLOORS: Readonly<Record<string, number>> = { '1': 1.1, '1000': 0.85 };

/**
 * Another gateway's send API and ours: the same texts from the same generator, the same simulator behind both, window by
 * window in turns. Whoever has the turn has the machine: the other is idle, with nothing left to deliver. Ours has the turn
 * twice, with many accounts and with one, because the other has no accounts.
 */
export async function measureAgainst(bench: Bench): Promise<void> {
  const foreign = foreignOf(bench);
  bench.service.startWorker();
  await awaitBinds(bench, 2);
  await acceptWhileDispatching(bench, foreign);
  await deliverWithoutBacklog(bench, foreign);
  await acceptAlone(bench, foreign);
}

export function foreignOf(bench: Bench): ForeignGateway {
  if (bench.foreign === undefined) throw new Error('nothing to compare with: give --against or --against-kannel');
  return bench.foreign;
}

/** Our send API, and whose messages it gets. */
export interface OurTarget extends SendTarget {
  readonly id: string;
  readonly title: string;
  readonly accounts: BenchAccounts;
}

export function ourTarget(bench: Bench, accounts: BenchAccounts): OurTarget {
  const { id, title, request } = singles(bench, accounts);
  return { id, title, accounts, port: bench.service.port, request, expectedStatus: CREATED };
}

export function foreignTarget({ target }: ForeignGateway): SendTarget {
  const { dialect, path, port } = target;
  return { port, request: { kind: 'foreign', dialect, path }, expectedStatus: acceptedStatusOf(dialect) };
}

/** Waits until that many binds are there. */
export async function awaitBinds(bench: Bench, count: number): Promise<void> {
  await awaitFact(`${count} binds at the simulator`, BIND_TIMEOUT_MS, async () => {
    bench.signal.throwIfAborted();
    bench.service.assertAlive();
    return (await bench.service.simulator.state()).binds.length >= count || undefined;
  });
}

export const drainOurs = (bench: Bench) => drain(bench, DRAIN_TIMEOUT_MS);

interface Phase {
  /** Of the figures' ids. */
  readonly id: string;
  readonly title: string;
  /** By the number of our accounts. */
  readonly floors?: Readonly<Record<string, number>>;
  readonly theirs: () => Promise<Measured>;
  readonly ours: (target: OurTarget) => Promise<Measured>;
}

async function measurePhase(bench: Bench, foreign: ForeignGateway, phase: Phase): Promise<void> {
  const { id, title, floors = {}, theirs, ours } = phase;
  const yardstick = `${foreign.id}-${id}`;
  const { many, against } = bench.accounts;
  const own = (name: string, target: OurTarget): Lane => {
    const floor = floors[target.id];
    const about = { id: `${name}-${id}`, title: `ours: ${title}, ${target.title}`, ...(floor && { floor }) };
    return { figure: { ...about, unit: 'messages', yardstick }, measure: () => ours(target) };
  };
  await bench.inTurns([
    {
      figure: { id: yardstick, title: `${foreign.title}: ${title}`, unit: 'messages', isForeign: true },
      measure: theirs,
    },
    own('ours', ourTarget(bench, many)),
    own('ours-hot', ourTarget(bench, against)),
  ]);
}

/** Closed load while both dispatch as fast as they can: what is accepted faster than that is the backlog. */
function acceptWhileDispatching(bench: Bench, foreign: ForeignGateway): Promise<void> {
  const { opponent } = bench.options;
  return measurePhase(bench, foreign, {
    id: 'dispatching',
    title: 'single sends accepted, while dispatching',
    floors: opponent?.kind === 'kannel' && opponent.store === 'file' ? FLOORS : {},
    theirs: async () => {
      await awaitBinds(bench, 2);
      const before = await bench.service.simulator.counters();
      const { accepted, ...measured } = await accept(bench, foreignTarget(foreign));
      await foreign.settle(before, accepted);
      return measured;
    },
    ours: async (target) => {
      await awaitBinds(bench, 2);
      const measured = await acceptOurs(bench, target);
      await drainOurs(bench);
      return measured;
    },
  });
}

function deliverWithoutBacklog(bench: Bench, foreign: ForeignGateway): Promise<void> {
  const { outstanding } = bench.options;
  return measurePhase(bench, foreign, {
    id: 'delivered',
    title: `accepted to delivered, ${outstanding} under way`,
    theirs: async () => {
      await awaitBinds(bench, 2);
      const before = await bench.service.simulator.counters();
      const { window, accepted } = await keepUnderWay(bench, foreignTarget(foreign), outstanding);
      await foreign.settle(before, accepted);
      return { window };
    },
    ours: async (target) => {
      await awaitBinds(bench, 2);
      const { window, accepted } = await keepUnderWay(bench, target, outstanding);
      bench.countAccepted(target.accounts, accepted);
      await drainOurs(bench);
      return { window };
    },
  });
}

/** The same with nobody dispatching: our worker is stopped, and the carrier is shut to the other. */
async function acceptAlone(bench: Bench, foreign: ForeignGateway): Promise<void> {
  const { simulator } = bench.service;
  await bench.service.stopWorker();
  const before = await simulator.counters();
  await simulator.change({ refusesBinds: true, disconnects: true });
  let owed = 0;
  await measurePhase(bench, foreign, {
    id: 'alone',
    title: 'single sends accepted, nobody dispatching',
    theirs: async () => {
      const { accepted, ...measured } = await accept(bench, foreignTarget(foreign));
      owed += accepted;
      if (foreign.isDisposable) await foreign.settle(before, 0);
      return measured;
    },
    ours: (target) => acceptOurs(bench, target),
  });
  await simulator.change({ refusesBinds: false });
  await foreign.settle(before, owed);
}

async function acceptOurs(bench: Bench, target: OurTarget): Promise<Measured> {
  const { accepted, ...measured } = await accept(bench, target);
  bench.countAccepted(target.accounts, accepted);
  return measured;
}

async function accept(bench: Bench, { port, request, expectedStatus }: SendTarget) {
  const { simulator } = bench.service;
  const { connections } = bench.options;
  const before = await simulator.counters();
  const startedAt = performance.now();
  const { window, result } = await bench.measure({ port, request, expectedStatus, connections });
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
