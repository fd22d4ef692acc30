import { setTimeout as delay } from 'node:timers/promises';
import { countsText } from '../../harness/table.js';
import type { Bench } from '../bench.js';
import { awaitFirstDelivery } from './end-to-end.js';
import { placeBacklog } from './loads.js';

const QUEUEING_TIMEOUT_MS = 40 * 60_000;
const SAY_EVERY_MS = 15_000;
const PER_MESSAGES = 100_000;

/**
 * A carrier that takes nothing, and so many messages accepted meanwhile: what they need must be in the database and in
 * the queue, not in the gateway or the worker. Then the carrier is back, and the memory is watched for one more window.
 */
export async function measureBacklog(bench: Bench): Promise<void> {
  const { service, accounts, options } = bench;
  service.startWorker();
  await awaitFirstDelivery(bench);
  await service.smsctl.run('carrier', 'pause', 'bench');
  const queued: { readonly atMs: number; readonly messages: number }[] = [];
  let saidAt = performance.now();
  const queuedAt = (atMs: number) => (queued.findLast((known) => known.atMs <= atMs)?.messages ?? 0) / PER_MESSAGES;
  await bench.watchMemory('backlog', '100,000 queued', queuedAt, async () => {
    const unexpected = await placeBacklog(bench, {
      account: accounts.batch,
      batches: Math.ceil(options.messages / options.batch),
      timeoutMs: QUEUEING_TIMEOUT_MS,
      onProgress: (now) => {
        queued.push({ atMs: performance.now(), messages: now });
        if (performance.now() - saidAt < SAY_EVERY_MS) return;
        saidAt = performance.now();
        bench.say(`${now.toLocaleString('en-US')} messages queued`);
      },
    });
    if (Object.keys(unexpected).length > 0) bench.say(`refused meanwhile, and sent again: ${countsText(unexpected)}`);
  });

  await service.smsctl.run('carrier', 'resume', 'bench');
  const minutes = (atMs: number, fromMs: number) => (atMs - fromMs) / 60_000;
  await bench.watchMemory('backlog, carrier back', 'minute', minutes, () => delay(options.windowMs));
}
