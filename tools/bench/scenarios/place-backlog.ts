import { awaitFact } from '../../harness/await-fact.js';
import type { Bench } from '../bench.js';
import type { BenchAccounts } from '../fixtures.js';
import { batches, CREATED } from './loads.js';

/** After that long without another message, what is missing is sent once more: its batches were refused. */
const STALLED_MS = 15_000;

/** How a backlog is placed. */
interface Placing {
  readonly account: BenchAccounts;
  readonly batches: number;
  readonly timeoutMs: number;
  /** Is told, several times a second, how many of its messages are accepted. */
  readonly onProgress?: (accepted: number) => void;
}

/**
 * Has a backlog of batches accepted, however fast.
 *
 * @returns responses other than 201, by status or error code
 */
export async function placeBacklog(bench: Bench, placing: Placing): Promise<Readonly<Record<string, number>>> {
  const { account } = placing;
  const { request, connections, entries } = batches(bench, account);
  const before = await bench.facts.acceptedOf(account.ids);
  const wanted = placing.batches * entries;
  bench.generator.startFed({ port: bench.service.port, connections, request, expectedStatus: CREATED });
  bench.generator.grant(placing.batches);
  let last = { accepted: 0, atMs: performance.now() };
  await awaitFact('the backlog is accepted', placing.timeoutMs, async () => {
    bench.signal.throwIfAborted();
    bench.service.assertAlive();
    const accepted = (await bench.facts.acceptedOf(account.ids)) - before;
    placing.onProgress?.(accepted);
    const nowMs = performance.now();
    if (accepted > last.accepted) last = { accepted, atMs: nowMs };
    if (accepted < wanted && nowMs - last.atMs > STALLED_MS) {
      bench.generator.grant(Math.ceil((wanted - accepted) / entries));
      last = { accepted, atMs: nowMs };
    }
    return accepted >= wanted || undefined;
  });
  const { answeredInAll, unexpected } = await bench.generator.stopFed();
  bench.countAccepted(account, answeredInAll * entries);
  return unexpected;
}
