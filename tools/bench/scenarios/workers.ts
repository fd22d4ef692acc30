import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../../harness/statistics.js';
import type { Bench } from '../bench.js';
import type { Window } from '../figures.js';
import { drain, placeBacklog } from './loads.js';

const WORKER_COUNTS = [1, 2, 4];
const CARRIER_LATENCY_MS = 20;
const CARRIER_WINDOW = 10;
/** What one bind can take at most: its window, as often as the carrier answers. */
const BIND_PER_SECOND = (CARRIER_WINDOW * 1_000) / CARRIER_LATENCY_MS;
/** Nothing is accepted in the window, so the workers need not run at lower priority. */
const SETTINGS = { WORKER_NICENESS: '0' };
/** The backlog outlasts the window by this much, so that no worker is ever without work in it. */
const SPARE_MS = 2_000;
const FILL_TIMEOUT_MS = 120_000;
const DRAIN_TIMEOUT_MS = 180_000;

/**
 * How dispatch grows with the workers: 1, 2 and 4 of them, each with a bind of its own, on a backlog, to a carrier that
 * answers after 20 ms. A bind with a window of 10 takes 500 a second at most, so as long as the machine has room the
 * carrier is the limit.
 */
export async function measureWorkers(bench: Bench): Promise<void> {
  await bench.service.stopWorker();
  const port = await bench.service.startCarrier('slow-carrier', ['--quiet', '--latency-ms', `${CARRIER_LATENCY_MS}`]);
  const { smsctl } = bench.service;
  await smsctl.run('carrier', 'pause', 'bench');
  await smsctl.run('carrier', 'add', 'slow', `smpp://bench:bench@127.0.0.1:${port}`, '--window', `${CARRIER_WINDOW}`);
  for (const count of WORKER_COUNTS) {
    const names = Array.from({ length: count }, (_, index) => `worker-${index + 1}`);
    for (const name of names) bench.service.startWorker(name, SETTINGS);
    await bench.until(`${count} workers are there`, FILL_TIMEOUT_MS, async () => {
      return (await bench.facts.workersAlive()) >= count;
    });
    const windows = await bench.eachWindow(() => dispatchBacklog(bench, count));
    for (const name of names) await bench.service.stopWorker(name);
    const rate = median(windows.map(({ perSecond }) => perSecond));
    const one = count === 1 ? rate : bench.medianOf('workers-1');
    const by = count === 1 ? '1 worker' : `${count} workers`;
    bench.add({
      id: `workers-${count}`,
      title: `delivered by ${by}, carrier answers after ${CARRIER_LATENCY_MS} ms`,
      windows: windows.map((window) => ({
        ...window,
        notes: {
          timesOneWorker: window.perSecond / one,
          ofWhatTheBindsTake: window.perSecond / (BIND_PER_SECOND * count),
          ...window.notes,
        },
      })),
    });
  }
}

/** One window in the middle of a backlog that is there before it begins and not over when it ends. */
async function dispatchBacklog(bench: Bench, workers: number): Promise<Window> {
  const { facts, accounts, options, signal } = bench;
  const { warmupMs, windowMs } = options;
  const messages = (BIND_PER_SECOND * workers * (warmupMs + windowMs + SPARE_MS)) / 1_000;
  const unexpected = await placeBacklog(bench, accounts.e2e, messages, FILL_TIMEOUT_MS);
  await delay(warmupMs, undefined, { signal });
  const { result, cores } = await bench.watchCores(async () => {
    const start = await facts.openOrders();
    const [from, walFrom] = [await facts.now(), await facts.walPosition()];
    await delay(windowMs, undefined, { signal });
    const [to, walTo] = [await facts.now(), await facts.walPosition()];
    const end = await facts.openOrders();
    return { from, to, walBytes: walTo - walFrom, backlog: { start, end } };
  });
  const { from, to, walBytes, backlog } = result;
  await drain(bench, DRAIN_TIMEOUT_MS);
  const { delivered, ...figures } = await facts.deliveredBetween(from, to, accounts.e2e.ids);
  const walBytesPerMessage = walBytes / Math.max(1, delivered);
  return { ...figures, unexpected, cores, backlog, notes: { walBytesPerMessage } };
}
