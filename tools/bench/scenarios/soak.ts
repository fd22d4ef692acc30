import type { Bench } from '../bench.js';
import { awaitFirstDelivery, feed } from './end-to-end.js';
import { keepUnderWay } from './feeding.js';
import { singles } from './loads.js';

/** Of what the service delivers when it gets all that it takes. */
const LOAD_SHARE = 0.5;
/** At the start a process grows to what it needs: that part of the soak is no trend. */
const SETTLING_SHARE = 0.25;
const MS_PER_HOUR = 3_600_000;

/** Half load for a long time, and the memory of every process meanwhile. */
export async function measureSoak(bench: Bench): Promise<void> {
  const { minutes, rate, outstanding, warmupMs } = bench.options;
  bench.service.startWorker();
  await awaitFirstDelivery(bench);
  const load = singles(bench, bench.accounts.many);
  const capacity = async () => (await feed(bench, load, keepUnderWay(outstanding))).perSecond;
  const pace = rate ?? Math.max(1, Math.round(LOAD_SHARE * (await capacity())));
  bench.say(`soaking at ${pace} messages per second for ${minutes} minutes ...`);
  const title = `accepted to delivered, fed ${pace} per second for ${minutes} minutes`;
  const soak = async () => {
    const lengths = { warmupMs, windowMs: minutes * 60_000 };
    const paced = (_open: number, granted: number, elapsedMs: number) => (pace * elapsedMs) / 1_000 - granted;
    const window = await feed(bench, load, paced, lengths);
    bench.add({ id: 'soak', title, unit: 'messages', windows: [window] });
  };
  const hours = (atMs: number, fromMs: number) => (atMs - fromMs) / MS_PER_HOUR;
  await bench.watchMemory('soak', 'hour', hours, soak, SETTLING_SHARE);
}
