import { awaitFact } from '../../harness/await-fact.js';
import type { Bench } from '../bench.js';

/**
 * Waits until no order of any account is left that somebody has to look at.
 *
 * @throws Error when that is not so in time: a backlog that stays is a fault of the run
 */
export async function drain(bench: Bench, timeoutMs: number): Promise<void> {
  await awaitFact('every accepted message has come to its end', timeoutMs, async () => {
    bench.signal.throwIfAborted();
    bench.service.assertAlive();
    return (await bench.facts.openOrders()) === 0 || undefined;
  });
}
