import { messageOf, messagesOf } from '../../harness/load/requests.js';
import type { Bench } from '../bench.js';
import type { Window } from '../figures.js';
import type { BenchAccounts } from '../fixtures.js';
import { placeBacklog, post } from './loads.js';

const SINGLES_PER_SECOND = 20;
const REPORTED_SECONDS = 4;
const PLACED_TIMEOUT_MS = 300_000;
const REACHED_TIMEOUT_MS = 600_000;

interface Load {
  readonly backlog: number;
  readonly singles: number;
  readonly batch: number;
  readonly carrierPerSecond: number;
}

const FULL: Load = { backlog: 100_000, singles: 200, batch: 1_000, carrierPerSecond: 200 };
const SMOKE: Load = { backlog: 5_000, singles: 20, batch: 100, carrierPerSecond: 200 };

/**
 * One account has a backlog that the carrier, at a limited rate, needs minutes for. Meanwhile another one sends single
 * messages at a steady pace: how long each takes to the carrier. Then a third sends a batch: how long that takes,
 * against the half of the carrier that is its share. The backlog stays: it is not what is measured, and what it stands
 * in is said.
 */
export async function measureFairness(bench: Bench): Promise<void> {
  const load = bench.options.smoke ? SMOKE : FULL;
  const { hog, light, middle } = bench.accounts;
  await bench.service.smsctl.run('carrier', 'set', 'bench', '--tps', String(load.carrierPerSecond));
  bench.service.startWorker();
  const batches = Math.ceil(load.backlog / bench.options.batch);
  await placeBacklog(bench, { account: hog, batches, timeoutMs: PLACED_TIMEOUT_MS });
  // By then the gateway has read in the worker's report that the carrier is open.
  await reached(bench, hog, REPORTED_SECONDS * load.carrierPerSecond);
  const waiting = await bench.facts.backlogOf(hog.ids);

  const singles = await bench.watchCores(() => sendSingles(bench, light, load.singles));
  await reached(bench, light, load.singles);
  bench.add({
    id: 'fair-singles',
    title: `single messages to the carrier beside a backlog of ${load.backlog}`,
    unit: 'messages',
    windows: [await windowOf(bench, light, singles.cores)],
    notes: {
      carrierPerSecond: [load.carrierPerSecond],
      backlogRows: [waiting.rows],
      messagesWaiting: [waiting.messages],
    },
  });

  const batch = await bench.watchCores(async () => {
    await post(bench, middle, messagesOf(load.batch));
    await reached(bench, middle, load.batch);
  });
  const window = await windowOf(bench, middle, batch.cores);
  bench.add({
    id: 'fair-batch',
    title: `a batch of ${load.batch} beside it`,
    unit: 'messages',
    windows: [window],
    notes: { shareOfFairShare: [window.perSecond / (load.carrierPerSecond / 2)] },
  });
}

/** From accepted to taken by the carrier, by the order's own times. */
async function windowOf(bench: Bench, account: BenchAccounts, cores: Window['cores']): Promise<Window> {
  return { ...(await bench.facts.sentOf(account.ids)), unexpected: {}, cores };
}

async function sendSingles(bench: Bench, account: BenchAccounts, count: number): Promise<void> {
  const sent: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    bench.signal.throwIfAborted();
    sent.push(post(bench, account, [messageOf(index)]));
    await new Promise((wake) => setTimeout(wake, 1_000 / SINGLES_PER_SECOND));
  }
  await Promise.all(sent);
}

function reached(bench: Bench, account: BenchAccounts, messages: number): Promise<void> {
  return bench.until(`${messages} of ${account.name} have reached the carrier`, REACHED_TIMEOUT_MS, async () => {
    return (await bench.facts.sentCountOf(account.ids, messages)) >= messages;
  });
}
