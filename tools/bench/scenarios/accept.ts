import type { Bench } from '../bench.js';
import { CopyYardstick } from '../copy/copy-yardstick.js';
import type { Figure, Window } from '../figures.js';
import type { RequestShape } from '../generator/job.js';
import { awaitFact } from '../service/await-fact.js';
import { readCommits } from '../service/gateway-metrics.js';

export type AcceptKind = 'single' | 'batch';

const CREATED = 201;
const FIRST_DELIVERY_TIMEOUT_MS = 60_000;

const COPY_ID = 'copy-batch';

const TITLES: Record<AcceptKind, string> = { single: 'single sends', batch: 'batches' };

/**
 * How fast sends are accepted, first with the worker stopped and the echo in turns, then beside a worker that
 * dispatches without a pause what the first part has left. The echo is a yardstick only on an otherwise idle machine, and
 * the service is meant to accept while it dispatches: hence both.
 */
export async function measureAccepting(bench: Bench, kinds: readonly AcceptKind[]): Promise<void> {
  const [first] = kinds;
  if (first === undefined) return;
  await bench.service.stopWorker();
  for (const kind of kinds) await measureAlone(bench, kind);
  // A smoke run compares what took turns with its yardstick, and nothing did here.
  if (bench.options.isSmoke) return;
  bench.service.startWorker();
  await awaitFact('the worker dispatches the backlog', FIRST_DELIVERY_TIMEOUT_MS, async () => {
    bench.signal.throwIfAborted();
    bench.service.assertAlive();
    return (await bench.database.hasDelivered(bench.accounts[first].accountId)) || undefined;
  });
  for (const kind of kinds) await measureWhileDispatching(bench, kind);
}

async function measureAlone(bench: Bench, kind: AcceptKind): Promise<void> {
  const echo: Window[] = [];
  const alone: Window[] = [];
  const copy: Window[] = [];
  let yardstick: CopyYardstick | undefined;
  const requestsPerCommit: number[] = [];
  for (let round = 0; round < bench.options.windows; round++) {
    echo.push(await measureEcho(bench, kind));
    const before = await readCommits(bench.service);
    alone.push(await measureService(bench, kind));
    const after = await readCommits(bench.service);
    if (before !== undefined && after !== undefined && after.commits > before.commits) {
      requestsPerCommit.push((after.requests - before.requests) / (after.commits - before.commits));
    }
    if (kind === 'batch') {
      yardstick ??= await CopyYardstick.prepare(bench, bench.accounts.batch);
      copy.push(await yardstick.measure(bench));
    }
  }
  await yardstick?.close();
  bench.add(echoFigure(`echo-${kind}`, kind, echo));
  const notes = requestsPerCommit.length > 0 ? { requestsPerCommit } : {};
  const title = `${TITLES[kind]} accepted, worker stopped`;
  const second = copy.length > 0 ? { secondYardstick: COPY_ID } : {};
  bench.add({
    id: `${kind}-alone`,
    title,
    unit: 'messages',
    windows: alone,
    yardstick: `echo-${kind}`,
    ...second,
    notes,
  });
  if (copy.length > 0)
    bench.add({ id: COPY_ID, title: 'the same order rows by COPY', unit: 'messages', windows: copy });
}

async function measureWhileDispatching(bench: Bench, kind: AcceptKind): Promise<void> {
  const windows: Window[] = [];
  const delivered: number[] = [];
  for (let round = 0; round < bench.options.windows; round++) {
    const from = await bench.database.now();
    windows.push(await measureService(bench, kind));
    const to = await bench.database.now();
    const seconds = await bench.database.secondsBetween(from, to);
    delivered.push((await bench.database.allDeliveredBetween(from, to)) / seconds);
  }
  bench.add({
    id: `${kind}-dispatching`,
    title: `${TITLES[kind]} accepted, while dispatching`,
    unit: 'messages',
    windows,
    yardstick: `echo-${kind}`,
    notes: { deliveredPerSecondMeanwhile: delivered },
  });
}

/** The same requests to the echo, on the same number of connections. */
export async function measureEcho(bench: Bench, kind: AcceptKind): Promise<Window> {
  const { window } = await bench.measure({ ...jobOf(bench, kind), port: bench.service.echoPort });
  return inMessages(window, entriesOf(bench, kind));
}

export function echoFigure(id: string, kind: AcceptKind, windows: readonly Window[]): Figure {
  return { id, title: `echo of ${TITLES[kind]}`, unit: 'messages', windows };
}

export async function measureService(bench: Bench, kind: AcceptKind): Promise<Window> {
  const { window, result } = await bench.measure({ ...jobOf(bench, kind), port: bench.service.port });
  bench.countAccepted(bench.accounts[kind], result.answeredInAll * entriesOf(bench, kind));
  return inMessages(window, entriesOf(bench, kind));
}

function jobOf(bench: Bench, kind: AcceptKind) {
  const { apiKey } = bench.accounts[kind];
  const { connections, batchConnections, batchEntries } = bench.options;
  const request: RequestShape =
    kind === 'single' ? { kind: 'send', apiKey } : { kind: 'send-batch', apiKey, entries: batchEntries };
  return { request, expectedStatus: CREATED, connections: kind === 'single' ? connections : batchConnections };
}

function entriesOf(bench: Bench, kind: AcceptKind): number {
  return kind === 'single' ? 1 : bench.options.batchEntries;
}

function inMessages(window: Window, entries: number): Window {
  return { ...window, perSecond: window.perSecond * entries };
}
