import { MemorySampler, type MemoryTrend, memoryTrends } from '../../harness/usage.js';
import type { Bench } from '../bench.js';
import { awaitFirstDelivery, feed } from './end-to-end.js';
import { keepUnderWay } from './feeding.js';
import { singles } from './loads.js';

const SAMPLE_EVERY_MS = 1_000;
/** Of what the service delivers when it gets all that it takes. */
const LOAD_SHARE = 0.5;
/** At the start a process grows to what it needs: that part of the soak is no trend. */
const SETTLING_SHARE = 0.25;
const MS_PER_HOUR = 3_600_000;

/** Half load for a long time, and the memory of every process meanwhile. */
export async function measureSoak(bench: Bench, minutes: number, rate: number | undefined): Promise<MemoryTrend[]> {
  bench.service.startWorker();
  await awaitFirstDelivery(bench);
  const load = singles(bench, bench.accounts.many);
  const capacity = async () => (await feed(bench, load, keepUnderWay(bench.options.outstanding))).perSecond;
  const pace = rate ?? Math.max(1, Math.round(LOAD_SHARE * (await capacity())));
  bench.say(`soaking at ${pace} messages per second for ${minutes} minutes ...`);
  const sampler = new MemorySampler(() => bench.roots(), SAMPLE_EVERY_MS);
  const length = { warmupMs: bench.options.warmupMs, windowMs: minutes * 60_000 };
  try {
    const window = await feed(bench, load, (_open, granted, elapsedMs) => (pace * elapsedMs) / 1_000 - granted, length);
    bench.add({
      id: 'soak',
      title: `accepted to delivered, fed ${pace} per second for ${minutes} minutes`,
      unit: 'messages',
      windows: [window],
    });
  } finally {
    sampler.stop();
  }
  const samples = sampler.samples.slice(Math.floor(sampler.samples.length * SETTLING_SHARE));
  const [first] = samples;
  const hours = samples.map(({ atMs }) => (atMs - (first?.atMs ?? 0)) / MS_PER_HOUR);
  return memoryTrends('soak', samples, hours, 'hour');
}
