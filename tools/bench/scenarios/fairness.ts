import { messageOf, messagesOf } from '../../harness/load/requests.js';
import type { Bench } from '../bench.js';
import type { Window } from '../figures.js';
import type { BenchAccounts } from '../fixtures.js';
import { drain, placeBacklog, post } from './loads.js';

const SINGLES_PER_SECOND = 20;
const REPORTED_SECONDS = 4;
const PLACED_TIMEOUT_MS = 300_000;
const REACHED_TIMEOUT_MS = 600_000;

/** At full length, and in a smoke run. */
const BACKLOG = { full: 100_000, smoke: 5_000 };
const SINGLES = { full: 200, smoke: 20 };
const BATCH = { full: 1_000, smoke: 100 };
const CARRIER_PER_SECOND = 200;

/**
 * One account has a backlog that the carrier, at a limited rate, needs minutes for. Meanwhile another one sends single
 * messages at a steady pace: how long each takes to the carrier. Then a third sends a batch: how long that takes,
 * against the half of the carrier that is its share. The backlog stays: it is not what is measured, and what it stands
 * in is said.
 */
export async function measureFairness(bench: Bench): Promise<void> {
  const length = bench.options.smoke ? 'smoke' : 'full';
  const [backlog, singles, entries] = [BACKLOG[length], SINGLES[length], BATCH[length]];
  const { hog, light, middle } = bench.accounts;
  // What earlier scenarios accepted while the worker was stopped would take a share of the carrier too.
  bench.service.startWorker();
  await drain(bench, REACHED_TIMEOUT_MS);
  await bench.service.smsctl.run('carrier', 'set', 'bench', '--tps', `${CARRIER_PER_SECOND}`);
  await placeBacklog(bench, hog, backlog, PLACED_TIMEOUT_MS);
  // By then the gateway has read in the worker's report that the carrier is open.
  await reached(bench, hog, REPORTED_SECONDS * CARRIER_PER_SECOND);
  const { rows, messages } = await bench.facts.backlogOf(hog.ids);
  const notes = { carrierPerSecond: CARRIER_PER_SECOND, backlogRows: rows, messagesWaiting: messages };

  const single = await toCarrier(bench, light, singles, () => sendSingles(bench, light, singles));
  bench.add({
    id: 'fair-singles',
    title: `single messages to the carrier beside a backlog of ${backlog}`,
    windows: [{ ...single, notes }],
  });

  const batch = await toCarrier(bench, middle, entries, () => post(bench, middle, messagesOf(entries)));
  const shareOfFairShare = batch.perSecond / (CARRIER_PER_SECOND / 2);
  bench.add({
    id: 'fair-batch',
    title: `a batch of ${entries} beside it`,
    windows: [{ ...batch, notes: { shareOfFairShare } }],
  });
}

/** A window from accepted to taken by the carrier, by the order's own times. */
async function toCarrier(
  bench: Bench,
  account: BenchAccounts,
  messages: number,
  send: () => Promise<void>,
): Promise<Window> {
  const { cores } = await bench.watchCores(async () => {
    await send();
    await reached(bench, account, messages);
  });
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
