import { setTimeout as delay } from 'node:timers/promises';
import { messagesOf } from '../../harness/load/requests.js';
import type { Bench, Lane } from '../bench.js';
import { feed, startWorker } from './end-to-end.js';
import { drain, halfOf, singles, tryToPost } from './loads.js';

const HELD_MS = 1_500;
const BETWEEN_HOLDS_MS = 500;
const SINGLES_EVERY_MS = 50;
const BATCH_EVERY_MS = 500;
const BATCH_ENTRIES = 1_000;
const DRAIN_TIMEOUT_MS = 120_000;

/**
 * What one account does to how long the requests of all others take: an open load of many accounts by itself, beside
 * one whose balance row somebody holds while it sends, and beside one that sends batches of 1,000.
 */
export async function measureNeighbours(bench: Bench): Promise<void> {
  await startWorker(bench);
  const { many, neighbour } = bench.accounts;
  const load = singles(bench, many);
  const perSecond = halfOf((await feed(bench, load)).perSecond);
  const lane = (id: string, beside: string, disturb: (signal: AbortSignal) => Promise<unknown>): Lane => ({
    id,
    title: `single sends accepted, ${load.title}, ${perSecond}/s, ${beside}`,
    measure: async () => {
      const over = new AbortController();
      const disturbed = disturb(over.signal);
      const window = await bench.measure(load, { mode: 'open', perSecond }).finally(() => over.abort());
      await disturbed;
      await drain(bench, DRAIN_TIMEOUT_MS);
      return window;
    },
  });
  await bench.inTurns([
    lane('neighbours-quiet', 'nobody else', async () => undefined),
    lane('neighbours-held', `beside one whose row is held for ${HELD_MS} ms`, (signal) =>
      Promise.all([
        everyMs(HELD_MS + BETWEEN_HOLDS_MS, signal, () => holdRow(bench)),
        everyMs(SINGLES_EVERY_MS, signal, () => tryToPost(bench, neighbour, messagesOf(1))),
      ]),
    ),
    lane('neighbours-batch', `beside one that sends ${BATCH_ENTRIES} every ${BATCH_EVERY_MS} ms`, (signal) =>
      everyMs(BATCH_EVERY_MS, signal, () => tryToPost(bench, neighbour, messagesOf(BATCH_ENTRIES))),
    ),
  ]);
}

/** Calls at a fixed pace, without waiting for what becomes of a call, and waits for all of them at the end. */
async function everyMs(paceMs: number, signal: AbortSignal, call: () => Promise<unknown>): Promise<void> {
  const calls: Promise<unknown>[] = [];
  while (!signal.aborted) {
    calls.push(call());
    await delay(paceMs);
  }
  await Promise.all(calls);
}

async function holdRow({ service, accounts }: Bench): Promise<void> {
  const session = await service.postgres.connect('heliograph-bench-hold');
  try {
    await session.query('begin');
    await session.query('select from account_balance where account_id = any($1) for update', [accounts.neighbour.ids]);
    await delay(HELD_MS);
    await session.query('commit');
  } finally {
    await session.end();
  }
}
