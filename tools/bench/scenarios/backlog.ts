import { setTimeout as delay } from 'node:timers/promises';
import { countsText, wholeNumber } from '../../harness/table.js';
import { type Bench, MINUTES } from '../bench.js';
import { startWorker } from './end-to-end.js';
import { placeBacklog } from './loads.js';

const QUEUEING_TIMEOUT_MS = 40 * 60_000;
const SAY_EVERY_MS = 15_000;
const PER_MESSAGES = 100_000;

/**
 * A carrier that takes nothing, and so many messages accepted meanwhile: what they need must be in the database and in
 * the queue, not in the gateway or the worker. Then the carrier is back, and the memory is watched for one more window.
 */
export async function measureBacklog(bench: Bench): Promise<void> {
  const { service, accounts, options, signal } = bench;
  await startWorker(bench);
  await service.smsctl.run('carrier', 'pause', 'bench');
  const queued: { readonly atMs: number; readonly messages: number }[] = [];
  const queuedAt = (atMs: number) => (queued.findLast((known) => known.atMs <= atMs)?.messages ?? 0) / PER_MESSAGES;
  let saidAt = performance.now();
  const onProgress = (messages: number) => {
    const atMs = performance.now();
    queued.push({ atMs, messages });
    if (atMs - saidAt < SAY_EVERY_MS) return;
    saidAt = atMs;
    bench.say(`${wholeNumber(messages)} messages queued`);
  };
  await bench.watchMemory('backlog', { per: '100,000 queued', at: queuedAt }, async () => {
    const { messages } = options;
    const unexpected = await placeBacklog(bench, accounts.batch, messages, QUEUEING_TIMEOUT_MS, onProgress);
    if (Object.keys(unexpected).length > 0) bench.say(`refused meanwhile, and sent again: ${countsText(unexpected)}`);
  });

  await service.smsctl.run('carrier', 'resume', 'bench');
  await bench.watchMemory('backlog, carrier back', MINUTES, () => delay(options.windowMs, undefined, { signal }));
}
