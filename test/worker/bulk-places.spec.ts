import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Job } from 'bullmq';
import type { SubmitSlot } from '#carrier';
import type { Database, StoredCarrier } from '#persistence';
import type { DispatchJob } from '#queue';
import { PooledCarrier } from '../../apps/worker/carriers/pooled-carrier.js';
import { DispatchProcessor, SlotRequests } from '../../apps/worker/dispatch/dispatch.processor.js';
import type { DispatchOrders } from '../../apps/worker/dispatch/dispatch-orders.js';
import type { Feeder } from '../../apps/worker/dispatch/feeder.js';
import type { RepeatedFaults } from '../../apps/worker/operations/repeated-faults.js';

const SLOT_AFTER_MS = 900;

/** A bulk job at a carrier of 20 a second, while interactive jobs wait for a place; its slots come late. */
async function workOn(ids: readonly string[]) {
  const carrier = new PooledCarrier({
    carrierId: 9,
    name: 'slow',
    windowSize: 10,
    submitsPerSecond: 20,
  } as StoredCarrier);
  carrier.hasInteractiveWaiting = true;
  const written: { putBack: readonly string[]; claimed: readonly string[]; wakes: number } = {
    putBack: [],
    claimed: [],
    wakes: 0,
  };
  jest.spyOn(SlotRequests.prototype, 'take').mockImplementation(async () => {
    await jest.advanceTimersByTimeAsync(SLOT_AFTER_MS);
    return [{} as SubmitSlot];
  });
  const database = {
    query: async (_sql: string, [putBack]: [string[]]) => {
      written.putBack = putBack;
      return [];
    },
  } as unknown as Database;
  const orders = {
    dispatch: async (claimed: string) => {
      written.claimed = [...written.claimed, claimed];
    },
  } as unknown as DispatchOrders;
  const job = { data: { ids }, opts: { priority: 1 } } as unknown as Job<DispatchJob>;
  const feeder = {
    wake: () => {
      written.wakes += 1;
    },
  } as Feeder;
  await new DispatchProcessor(carrier, orders, database, feeder, {} as RepeatedFaults).process(job);
  return written;
}

describe('while interactive jobs wait for a place', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  test('a bulk job that was cut for a faster carrier goes back to the backlog, and the feeder looks', async () => {
    expect(await workOn(['a', 'b', 'c', 'd'])).toEqual({ claimed: ['a'], putBack: ['b', 'c', 'd'], wakes: 1 });
  });

  test('the last order of a bulk job does not', async () => {
    expect(await workOn(['a', 'b'])).toEqual({ claimed: ['a', 'b'], putBack: [], wakes: 0 });
  });
});
