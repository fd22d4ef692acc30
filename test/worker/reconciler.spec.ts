import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadConfig } from '#config';
import type { Database } from '#persistence';
import type { DispatchQueue, OrderGroup } from '#queue';
import { createLogger } from '#telemetry';
import { Reconciler } from '../../apps/worker/recovery/reconciler.js';
import { eventually } from '../support/eventually.js';
import { TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

/** A queue that has lost everything once, and of which nobody takes anything. */
function lossyQueue(): { queue: DispatchQueue; offered: string[]; depthWas: number } {
  let hasLost = true;
  const seen = { offered: [] as string[], depthWas: 0 };
  const queue: Partial<DispatchQueue> = {
    hasLostEverything: async () => {
      const lost = hasLost;
      hasLost = false;
      return lost;
    },
    depth: async () => {
      seen.depthWas += 1;
      return { waiting: seen.offered.length, active: 0 };
    },
    enqueue: async (groups: readonly OrderGroup[]) => {
      seen.offered.push(...groups.flatMap(({ ids }) => ids));
    },
  };
  return Object.assign(seen, { queue: queue as DispatchQueue });
}

/** What is offered to a queue that has lost everything, of thirty orders that were on it. */
async function refilled(database: Database): Promise<{ offered: readonly string[]; wanted: readonly string[] }> {
  await ledger.forgetOpenWork();
  const account = await ledger.account(30);
  const ids: string[] = [];
  for (let order = 0; order < 30; order += 1) ids.push((await ledger.queued(account)).id);
  for (const id of ids) await ledger.age(id, 3);

  const lossy = lossyQueue();
  const config = loadConfig({ DATABASE_URL: ledger.url, SWEEP_AFTER_SECONDS: '60' });
  const reconciler = new Reconciler(database, lossy.queue, config, createLogger('worker', 'silent'));
  reconciler.start();
  try {
    await eventually(async () => lossy.offered.length >= 30, { intervalMs: 50 });
    // The refill is over when it is asked again how much there is: several sweeps have looked at everything by then.
    await eventually(async () => lossy.depthWas > 0, { intervalMs: 50 });
  } finally {
    await reconciler.stop();
  }
  return { offered: [...lossy.offered].sort(), wanted: ids.sort() };
}

test('a queue that has lost everything gets every order again, and each of them once', async () => {
  const { offered, wanted } = await refilled(ledger.database);
  expect(offered).toEqual(wanted);
});

test('each of them once, too, when a sweep takes longer than it should', async () => {
  const slow = Object.create(ledger.database) as Database;
  slow.query = async (sql: string, parameters?: unknown[]) => {
    if (sql.includes('sweep_orders')) await new Promise((resolve) => setTimeout(resolve, 3_500));
    return ledger.database.query(sql, parameters);
  };
  const { offered, wanted } = await refilled(slow);
  expect(offered).toEqual(wanted);
});
