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
  let alone = Number.NaN;
  for (const count of WORKER_COUNTS) {
    const names = Array.from({ length: count }, (_, index) => `worker-${index + 1}`);
    for (const name of names) bench.service.startWorker(name, SETTINGS);
    await bench.until(`${count} workers are there`, FILL_TIMEOUT_MS, async () => {
      return (await bench.facts.workersAlive()) >= count;
    });
    const windows: Window[] = [];
    const walBytesPerMessage: number[] = [];
    for (let round = 0; round < bench.options.windows; round += 1) {
      const { window, walBytes } = await dispatchBacklog(bench, count);
      windows.push(window);
      walBytesPerMessage.push(walBytes);
    }
    for (const name of names) await bench.service.stopWorker(name);
    const rate = median(windows.map(({ perSecond }) => perSecond));
    if (count === 1) alone = rate;
    const by = count === 1 ? '1 worker' : `${count} workers`;
    bench.add({
      id: `workers-${count}`,
      title: `delivered by ${by}, carrier answers after ${CARRIER_LATENCY_MS} ms`,
      unit: 'messages',
      windows,
      notes: {
        timesOneWorker: [rate / alone],
        ofWhatTheBindsTake: [rate / (BIND_PER_SECOND * count)],
        walBytesPerMessage,
      },
    });
  }
}

/** One window in the middle of a backlog that is there before it begins and not over when it ends. */
async function dispatchBacklog(bench: Bench, workers: number): Promise<{ window: Window; walBytes: number }> {
  const { warmupMs, windowMs, batch } = bench.options;
  const { e2e: account } = bench.accounts;
  const forMs = warmupMs + windowMs + SPARE_MS;
  const batches = Math.ceil((BIND_PER_SECOND * workers * forMs) / 1_000 / batch);
  const unexpected = await placeBacklog(bench, { account, batches, timeoutMs: FILL_TIMEOUT_MS });
  await delay(warmupMs);
  const { result, cores } = await bench.watchCores(async () => {
    const start = await bench.facts.openOrders();
    const [from, walFrom] = [await bench.facts.now(), await bench.facts.walPosition()];
    await delay(windowMs);
    const [to, walTo] = [await bench.facts.now(), await bench.facts.walPosition()];
    const end = await bench.facts.openOrders();
    return { from, to, wal: walTo - walFrom, backlog: { start, end } };
  });
  await drain(bench, DRAIN_TIMEOUT_MS);
  const { delivered, ...rest } = await bench.facts.deliveredBetween(account.ids, result.from, result.to);
  const window = { ...rest, unexpected, cores, backlog: result.backlog };
  return { window, walBytes: result.wal / Math.max(1, delivered) };
}
