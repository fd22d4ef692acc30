import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { RouteTable } from '#carrier';
import type { Config } from '#config';
import type { Database, StoredCarrier } from '#persistence';
import type { DispatchQueues } from '#queue';
import type { CarrierConnections } from '../../apps/worker/carriers/carrier-connections.js';
import { CarrierPool } from '../../apps/worker/carriers/carrier-pool.js';
import { PooledCarrier } from '../../apps/worker/carriers/pooled-carrier.js';
import { Feeder } from '../../apps/worker/dispatch/feeder.js';
import type { RepeatedFaults } from '../../apps/worker/operations/repeated-faults.js';
import type { WorkerMetrics } from '../../apps/worker/operations/worker-metrics.js';
import { eventually } from '../support/eventually.js';

const CARRIERS = 10;

/** A feeder of ten carriers of 200 a second, with a route to each. It only has its own clock and what it is told. */
function feederOf(waiting: readonly number[], given = 0) {
  const asked = { scopes: 0, depths: [] as string[], taken: [] as number[] };
  const metrics = { showCarriers: () => undefined, fed: { inc: () => undefined } } as unknown as WorkerMetrics;
  const pool = new CarrierPool(metrics);
  pool.routes = new RouteTable([
    { prefix: '49', carrierId: 1, carrier: 'c1', rank: 1, weight: 1 } as unknown as ConstructorParameters<
      typeof RouteTable
    >[0][number],
  ]);
  for (let id = 1; id <= CARRIERS; id += 1) {
    const stored = { carrierId: id, name: `c${id}`, windowSize: 10, submitsPerSecond: 200 } as StoredCarrier;
    const carrier = new PooledCarrier(stored);
    carrier.isBoundElsewhere = true;
    pool.add(carrier);
  }
  const database = {
    query: async (sql: string, [carrierId]: unknown[] = []) => {
      if (sql.includes('dispatch_turn')) {
        asked.scopes += 1;
        return waiting.map((id) => ({ carrierId: id, accounts: 1 }));
      }
      asked.taken.push(Number(carrierId));
      const order = { lane: 'bulk', destination: '491511234567', segments: 1, begunBy: carrierId };
      return Array.from({ length: given }, (_, index) => ({ ...order, id: `${carrierId}-${index}` }));
    },
  } as unknown as Database;
  const queues = {
    depthOf: async (name: string) => {
      asked.depths.push(name);
      return { interactive: 0, bulk: 0, delayed: 0, active: 0 };
    },
    enqueue: async () => undefined,
  } as unknown as DispatchQueues;
  const faults = { notDispatched: (fault: unknown) => Promise.reject(fault) } as unknown as RepeatedFaults;
  const config = { SWEEP_AFTER_SECONDS: 60 } as Config;
  const feeder = new Feeder(database, config, pool, {} as CarrierConnections, queues, metrics, faults);
  const carrier = (id: number) => {
    const found = pool.find(id);
    if (found === undefined) throw new Error(`no carrier ${id}`);
    return found;
  };
  /** What the feeder asks from its first look on, and then because of `what`, before it looks again by itself. */
  const askedFor = async (what: () => void) => {
    feeder.start();
    await eventually(async () => expect(asked.scopes).toBe(1));
    await eventually(async () => expect(asked.taken).toHaveLength(waiting.length));
    const first = structuredClone(asked);
    Object.assign(asked, { scopes: 0, depths: [], taken: [] });
    what();
    await new Promise(setImmediate);
    await feeder.stop();
    return { first, later: asked };
  };
  return { feeder, carrier, asked, askedFor, queues };
}

describe('what the feeder asks of the database and the queues', () => {
  test('while nothing waits, it reads no queue on which its worker has no job', async () => {
    const { carrier, askedFor } = feederOf([]);
    carrier(3).jobs = 1;
    const { first } = await askedFor(() => undefined);
    expect(first).toEqual({ scopes: 1, depths: ['c3'], taken: [] });
  });

  test.each([
    ['a part of what was on it has gone out', 'roomMade' as const],
    ['it is empty', 'emptied' as const],
  ])('one queue is filled again, and no other is read, when %s', async (_when, event) => {
    const { carrier, askedFor, feeder } = feederOf([3, 4]);
    const { first, later } = await askedFor(() => {
      if (event === 'emptied') feeder.emptied(carrier(3));
      else feeder.roomMade(carrier(3), 25);
    });
    expect(first.depths).toHaveLength(CARRIERS);
    expect(later).toEqual({ scopes: 0, depths: ['c3'], taken: [3] });
  });

  test.each([
    ['all that was given, by accounts at their caps', 0, 3, [3]],
    ['a small part of what was given', 100, 3, []],
    ['a quarter of the queue', 100, 25, [3]],
  ])('of a queue that was filled, %s has gone out', async (_what, given, gone, taken) => {
    const { carrier, askedFor, feeder } = feederOf([3], given);
    const { later } = await askedFor(() => feeder.roomMade(carrier(3), gone));
    expect(later.taken.slice(0, 1)).toEqual(taken);
  });

  test('it looks where accounts wait also while there is always a queue to fill', async () => {
    const { feeder, carrier, asked, queues } = feederOf([3]);
    const read = queues.depthOf;
    queues.depthOf = async (name) => {
      await delay(1);
      feeder.emptied(carrier(3));
      return read(name);
    };
    feeder.start();
    try {
      await eventually(() => asked.scopes >= 3);
    } finally {
      await feeder.stop();
    }
  });
});
