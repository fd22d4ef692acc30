import { countsText } from '../../harness/table.js';
import { MemorySampler, type MemoryTrend, memoryTrends } from '../../harness/usage.js';
import type { Bench } from '../bench.js';
import { awaitFirstDelivery } from './end-to-end.js';
import { placeBacklog } from './loads.js';

const SAMPLE_EVERY_MS = 1_000;
const QUEUEING_TIMEOUT_MS = 40 * 60_000;
const SAY_EVERY_MS = 15_000;
const PER_MESSAGES = 100_000;

/**
 * A carrier that takes nothing, and so many messages accepted meanwhile: what they need must be in the database and in
 * the queue, not in the gateway or the worker. Then the carrier is back, and the memory is watched for one more window.
 */
export async function measureBacklog(bench: Bench, messages: number): Promise<MemoryTrend[]> {
  const { service, accounts, options } = bench;
  service.startWorker();
  await awaitFirstDelivery(bench);
  await service.smsctl.run('carrier', 'pause', 'bench');
  const sampler = new MemorySampler(() => bench.roots(), SAMPLE_EVERY_MS);
  const queued: { atMs: number; messages: number }[] = [];
  let saidAt = performance.now();
  try {
    const unexpected = await placeBacklog(bench, {
      account: accounts.batch,
      batches: Math.ceil(messages / options.batch),
      timeoutMs: QUEUEING_TIMEOUT_MS,
      onProgress: (now) => {
        queued.push({ atMs: performance.now(), messages: now });
        if (performance.now() - saidAt < SAY_EVERY_MS) return;
        saidAt = performance.now();
        bench.say(`${now.toLocaleString('en-US')} messages queued`);
      },
    });
    if (Object.keys(unexpected).length > 0) bench.say(`refused meanwhile, and sent again: ${countsText(unexpected)}`);
  } finally {
    sampler.stop();
  }
  const along = sampler.samples.map(({ atMs }) => queuedAt(queued, atMs) / PER_MESSAGES);
  const trends = memoryTrends('backlog', sampler.samples, along, '100,000 queued');

  await service.smsctl.run('carrier', 'resume', 'bench');
  const draining = new MemorySampler(() => bench.roots(), SAMPLE_EVERY_MS);
  await new Promise((wake) => setTimeout(wake, options.windowMs));
  const samples = draining.stop();
  const minutes = samples.map(({ atMs }) => (atMs - (samples[0]?.atMs ?? 0)) / 60_000);
  return [...trends, ...memoryTrends('backlog, carrier back', samples, minutes, 'minute')];
}

function queuedAt(queued: readonly { readonly atMs: number; readonly messages: number }[], atMs: number): number {
  return queued.findLast((known) => known.atMs <= atMs)?.messages ?? 0;
}
