import type { Bench } from '../bench.js';
import { awaitFact } from '../service/await-fact.js';
import type { BenchAccount } from '../service/fixtures.js';

/**
 * Waits until the account has that many orders and no order of any account is left that somebody has to look at.
 *
 * @throws Error when that is not so in time: a backlog that stays is a fault of the run
 */
export async function drain(
  bench: Bench,
  account: BenchAccount,
  acceptedAtLeast: number,
  timeoutMs: number,
): Promise<void> {
  await awaitFact('every accepted message has come to its end', timeoutMs, async () => {
    bench.signal.throwIfAborted();
    bench.service.assertAlive();
    const { accepted, open } = await bench.database.progressOf(account.accountId);
    return accepted >= acceptedAtLeast && open === 0 ? true : undefined;
  });
}
