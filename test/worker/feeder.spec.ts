import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { RouteTable } from '#carrier';
import type { Config } from '#config';
import { type Database, NOT_ROUTED, type StoredCarrier } from '#persistence';
import type { DispatchQueues } from '#queue';
import type { CarrierConnections } from '../../apps/worker/carriers/carrier-connections.js';
import { CarrierPool } from '../../apps/worker/carriers/carrier-pool.js';
import { PooledCarrier } from '../../apps/worker/carriers/pooled-carrier.js';
import { Feeder } from '../../apps/worker/dispatch/feeder.js';
import type { RepeatedFaults } from '../../apps/worker/operations/repeated-faults.js';
import type { WorkerMetrics } from '../../apps/worker/operations/worker-metrics.js';
import { eventually } from '../support/eventually.js';

const CARRIERS = 10;

/**
 * A feeder of ten carriers of 200 a second, with a route to each. It only has its own clock and what it is told.
 *
 * @param given orders that each take gets at most
 */
function feederOf(waiting: readonly number[], given = 0) {
  /** Jobs on every queue: they begin empty. */
  const onQueue = { bulk: 0 };
  const asked = { scopes: 0, depths: [] as string[], taken: [] as number[] };
  /** What it has put back, and how often that fails. */
  const back = { puts: [] as unknown[], failures: 0 };
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
    query: async (sql: string, [carrierId, segmentsMax]: unknown[] = []) => {
      if (sql.includes('dispatch_turn')) {
        asked.scopes += 1;
        return waiting.map((id) => ({ carrierId: id, accounts: 1 }));
      }
      if (sql.includes('put_in_backlog')) {
        back.puts.push(carrierId);
        if (back.puts.length <= back.failures) throw new Error('Connection terminated unexpectedly');
        return [];
      }
      asked.taken.push(Number(carrierId));
      const order = { lane: 'bulk', destination: '491511234567', segments: 1, begunBy: carrierId };
      return Array.from({ length: Math.min(given, Number(segmentsMax)) }, (_, index) => ({
        ...order,
        id: `${carrierId}-${index}`,
      }));
    },
  } as unknown as Database;
  const queues = {
    depthOf: async (name: string) => {
      asked.depths.push(name);
      return { interactive: 0, bulk: onQueue.bulk, delayed: 0, active: 0 };
    },
    enqueue: async () => undefined,
  } as unknown as DispatchQueues;
  const faults = { notDispatched: (fault: unknown) => Promise.reject(fault) } as unknown as RepeatedFaults;
  const config = { SWEEP_AFTER_SECONDS: 60 } as Config;
  const connections = { refresh: async () => undefined } as CarrierConnections;
  const feeder = new Feeder(database, config, pool, connections, queues, metrics, faults);
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
  return { feeder, carrier, pool, asked, askedFor, database, queues, onQueue, back };
}

describe('what the feeder asks of the database and the queues', () => {
  test('while nothing waits, it reads no queue on which its worker has no job', async () => {
    const { carrier, askedFor } = feederOf([]);
    carrier(3).jobs = 1;
    const { first } = await askedFor(() => undefined);
    expect(first).toEqual({ scopes: 1, depths: ['c3'], taken: [] });
  });

  test('when a queue is empty, only queues are read for which messages wait', async () => {
    const { carrier, askedFor, feeder } = feederOf([3, 4]);
    const { first, later } = await askedFor(() => feeder.drained(carrier(3)));
    expect(first.depths).toHaveLength(CARRIERS);
    expect(later).toEqual({ scopes: 1, depths: ['c3', 'c4'], taken: [3, 4] });
  });

  test('when a queue is empty for which no message waits, nothing is asked', async () => {
    const { carrier, askedFor, feeder } = feederOf([3, 4]);
    const { later } = await askedFor(() => feeder.drained(carrier(5)));
    expect(later).toEqual({ scopes: 0, depths: [], taken: [] });
  });

  test('it looks where accounts wait also while there is always a queue to fill', async () => {
    const { feeder, carrier, asked, queues } = feederOf([3]);
    const read = queues.depthOf;
    queues.depthOf = async (name) => {
      await delay(1);
      feeder.drained(carrier(3));
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

test('an order without a route that has one by now goes back into the lane in which it waited', async () => {
  const { feeder, database } = feederOf([NOT_ROUTED]);
  const unroutable = { destination: '33123456789', segments: 1, begunBy: null };
  const orders = ['interactive', 'bulk'].map((lane) => ({ ...unroutable, id: lane, lane }));
  const put: unknown[] = [];
  const { query } = database;
  database.query = (async (sql: string, values: unknown[]) => {
    if (sql.includes('take_from_backlog')) return orders.splice(0);
    // The operator has set a route since this worker read the routes, so none of them fails.
    if (sql.includes('fail_unroutable')) return [];
    if (!sql.includes('put_in_backlog')) return query(sql, values);
    put.push(values);
    return [];
  }) as typeof query;
  feeder.start();
  try {
    await eventually(async () => expect(put).toHaveLength(2));
  } finally {
    await feeder.stop();
  }
  expect(put).toEqual([
    [['interactive'], NOT_ROUTED, 0],
    [['bulk'], NOT_ROUTED, 1],
  ]);
});

test('without routes, messages that wait for the carrier that has begun them do not stand before others', async () => {
  const { feeder, carrier, pool, database, queues } = feederOf([]);
  pool.routes = new RouteTable([]);
  // This one is down.
  carrier(1).isBoundElsewhere = false;
  const order = { lane: 'bulk', destination: '491511234567', segments: 1 };
  const backlogs = new Map([
    [
      NOT_ROUTED,
      [
        ...Array.from({ length: 2_000 }, (_, index) => ({ ...order, id: `begun-${index}`, begunBy: 1 })),
        { ...order, id: 'fresh', begunBy: null },
      ],
    ],
  ]);
  const taken = new Map<string, typeof order & { id: string; begunBy: number | null }>();
  database.query = (async (sql: string, values: unknown[]) => {
    if (sql.includes('dispatch_turn')) {
      return [...backlogs].flatMap(([carrierId, { length }]) => (length > 0 ? [{ carrierId, accounts: 1 }] : []));
    }
    if (sql.includes('put_in_backlog')) {
      const [ids, scope] = values as [string[], number];
      backlogs.set(scope, [...ids.flatMap((id) => taken.get(id) ?? []), ...(backlogs.get(scope) ?? [])]);
      return [];
    }
    const [scope, segmentsMax] = values as [number, number];
    const orders = (backlogs.get(scope) ?? []).splice(0, segmentsMax);
    for (const one of orders) taken.set(one.id, one);
    return orders;
  }) as typeof database.query;
  const enqueued: string[] = [];
  queues.enqueue = async (_carrier, _lane, ids) => {
    enqueued.push(...ids);
  };
  feeder.start();
  try {
    await eventually(async () => expect(enqueued).toEqual(['fresh']), { timeoutMs: 5_000 });
  } finally {
    await feeder.stop();
  }
});

test('what it has taken goes back although the connection was lost meanwhile', async () => {
  const { feeder, back } = feederOf([NOT_ROUTED], 2);
  back.failures = 2;
  feeder.start();
  await eventually(() => back.puts.length >= 3);
  await feeder.stop();
  expect(back.puts.slice(0, 3)).toEqual(Array(3).fill(['0-0', '0-1']));
});

test('a feeder that stops takes nothing more', async () => {
  const { feeder, asked, queues } = feederOf([3, 4], 1);
  let stopped: Promise<void> | undefined;
  queues.enqueue = async () => {
    stopped ??= feeder.stop();
  };
  feeder.start();
  await eventually(() => stopped !== undefined);
  await stopped;
  expect(asked.taken).toEqual([3]);
});

describe('how often the feeder looks by itself', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  /** How often it took orders in each part of a second. Jobs of two ids lie on the queue, which has room for 100. */
  async function takenIn(partsMs: readonly number[], given: number, bulk: number): Promise<number[]> {
    jest.useFakeTimers();
    const { feeder, asked, onQueue } = feederOf([3], given);
    const taken: number[] = [];
    feeder.start();
    for (const ms of partsMs) {
      await jest.advanceTimersByTimeAsync(ms);
      taken.push(asked.taken.length);
      asked.taken.length = 0;
      onQueue.bulk = bulk;
    }
    await feeder.stop();
    return taken;
  }

  test('while it feeds, when a quarter of a queue may have gone out', async () => {
    expect(await takenIn([1, 130, 130], 100, 37)).toEqual([1, 1, 1]);
  });

  test('of a queue of which less is free, it takes orders only at every fourth look', async () => {
    expect(await takenIn([1, 130, 130, 130, 130], 100, 38)).toEqual([1, 0, 0, 0, 1]);
  });

  test('while it finds nothing to feed, twice a second', async () => {
    expect(await takenIn([1, 130, 130, 130, 130], 0, 0)).toEqual([1, 0, 0, 0, 1]);
  });
});
