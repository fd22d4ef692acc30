import { type Bench, HOURS } from '../bench.js';
import { feed, startWorker } from './end-to-end.js';
import { halfOf, singles } from './loads.js';

/** At the start a process grows to what it needs: that part of the soak is no trend. */
const SETTLING_SHARE = 0.25;

/** Half load for a long time, and the memory of every process meanwhile. */
export async function measureSoak(bench: Bench): Promise<void> {
  const { minutes, rate, warmupMs } = bench.options;
  await startWorker(bench);
  const load = singles(bench, bench.accounts.many);
  const pace = rate ?? halfOf((await feed(bench, load)).perSecond);
  bench.say(`soaking at ${pace} messages per second for ${minutes} minutes ...`);
  const soak = async () => {
    const paced = (_open: number, granted: number, elapsedMs: number) => (pace * elapsedMs) / 1_000 - granted;
    const window = await feed(bench, load, paced, { warmupMs, windowMs: minutes * 60_000 });
    const title = `accepted to delivered, fed ${pace} per second for ${minutes} minutes`;
    bench.add({ id: 'soak', title, windows: [window] });
  };
  await bench.watchMemory('soak', HOURS, soak, SETTLING_SHARE);
}
