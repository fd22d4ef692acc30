import type { ForeignGateway } from '../against/foreign-gateway.js';
import type { Bench } from '../bench.js';
import type { Window } from '../figures.js';
import { acceptedStatusOf } from '../generator/dialects.js';
import { awaitFact } from '../service/await-fact.js';
import { drain } from './drain.js';
import { keepUnderWay, type SendTarget } from './under-way.js';

const CREATED = 201;
const DRAIN_TIMEOUT_MS = 600_000;
const BIND_TIMEOUT_MS = 60_000;

/**
 * Another gateway's send API and ours: the same texts from the same generator, the same simulator behind both, window by
 * window in turns. Whoever has the turn has the machine: the other is idle, with nothing left to deliver.
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

export function ourTarget(bench: Bench, account: 'against' | 'limited' = 'against'): SendTarget {
  const { apiKey } = bench.accounts[account];
  return { port: bench.service.port, request: { kind: 'send', apiKey }, expectedStatus: CREATED };
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

export async function drainOurs(bench: Bench, account: 'against' | 'limited' = 'against'): Promise<void> {
  await drain(bench, bench.accounts[account], 0, DRAIN_TIMEOUT_MS);
}

/** Closed load while both dispatch as fast as they can: what is accepted faster than that is the backlog. */
async function acceptWhileDispatching(bench: Bench, foreign: ForeignGateway): Promise<void> {
  const theirs: Accepting[] = [];
  const ours: Accepting[] = [];
  for (let round = 0; round < bench.options.windows; round++) {
    const before = await bench.service.simulator.counters();
    const accepting = await accept(bench, foreignTarget(foreign));
    theirs.push(accepting);
    await foreign.settle(before, accepting.accepted);
    await awaitBinds(bench, 2);
    ours.push(await acceptOurs(bench));
    await drainOurs(bench);
  }
  addAccepting(bench, foreign, 'dispatching', 'while dispatching', { theirs, ours });
}

async function deliverWithoutBacklog(bench: Bench, foreign: ForeignGateway): Promise<void> {
  const { outstanding } = bench.options;
  const theirs: Window[] = [];
  const ours: Window[] = [];
  for (let round = 0; round < bench.options.windows; round++) {
    const before = await bench.service.simulator.counters();
    const { window, accepted } = await keepUnderWay(bench, foreignTarget(foreign), outstanding);
    theirs.push(window);
    await foreign.settle(before, accepted);
    await awaitBinds(bench, 2);
    const own = await keepUnderWay(bench, ourTarget(bench), outstanding);
    bench.countAccepted(bench.accounts.against, own.accepted);
    ours.push(own.window);
    await drainOurs(bench);
  }
  const [yardstick, unit] = [`${foreign.id}-delivered`, 'messages'] as const;
  const title = `accepted to delivered, ${outstanding} under way`;
  bench.add({ id: yardstick, title: `${foreign.title}: ${title}`, unit, windows: theirs, isForeign: true });
  bench.add({ id: 'ours-delivered', title: `ours: ${title}`, unit, windows: ours, yardstick });
}

/** The same with nobody dispatching: our worker is stopped, and the carrier is shut to the other. */
async function acceptAlone(bench: Bench, foreign: ForeignGateway): Promise<void> {
  const { simulator } = bench.service;
  await bench.service.stopWorker();
  const before = await simulator.counters();
  await simulator.shut();
  const theirs: Accepting[] = [];
  const ours: Accepting[] = [];
  for (let round = 0; round < bench.options.windows; round++) {
    theirs.push(await accept(bench, foreignTarget(foreign)));
    if (foreign.isDisposable) await foreign.settle(before, 0);
    ours.push(await acceptOurs(bench));
  }
  await simulator.open();
  addAccepting(bench, foreign, 'alone', 'nobody dispatching', { theirs, ours });
  const owed = theirs.reduce((sum, { accepted }) => sum + accepted, 0);
  await foreign.settle(before, owed);
}

interface Accepting {
  readonly window: Window;
  readonly accepted: number;
  readonly submittedPerSecond: number;
  /** Accepted and not yet delivered when the load ended. */
  readonly backlog: number;
}

async function acceptOurs(bench: Bench): Promise<Accepting> {
  const accepting = await accept(bench, ourTarget(bench));
  bench.countAccepted(bench.accounts.against, accepting.accepted);
  return accepting;
}

async function accept(bench: Bench, target: SendTarget): Promise<Accepting> {
  const { simulator } = bench.service;
  const before = await simulator.counters();
  const startedAt = performance.now();
  const { window, result } = await bench.measure({ ...target, connections: bench.options.connections });
  const after = await simulator.counters();
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    window,
    accepted: result.answeredInAll,
    submittedPerSecond: (after.taken - before.taken) / seconds,
    backlog: result.answeredInAll - (after.receiptsAcknowledged - before.receiptsAcknowledged),
  };
}

function addAccepting(
  bench: Bench,
  foreign: ForeignGateway,
  kind: string,
  how: string,
  { theirs, ours }: { readonly theirs: readonly Accepting[]; readonly ours: readonly Accepting[] },
): void {
  const yardstick = `${foreign.id}-${kind}`;
  const figure = (accepting: readonly Accepting[]) => ({
    unit: 'messages' as const,
    windows: accepting.map(({ window }) => window),
    notes: {
      submittedPerSecondMeanwhile: accepting.map(({ submittedPerSecond }) => submittedPerSecond),
      undeliveredAtTheEnd: accepting.map(({ backlog }) => backlog),
    },
  });
  const title = `single sends accepted, ${how}`;
  bench.add({ id: yardstick, title: `${foreign.title}: ${title}`, isForeign: true, ...figure(theirs) });
  bench.add({ id: `ours-${kind}`, title: `ours: ${title}`, yardstick, ...figure(ours) });
}
