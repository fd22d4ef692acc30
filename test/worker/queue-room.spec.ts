import { describe, expect, test } from '@jest/globals';
import type { StoredCarrier } from '#persistence';
import type { DispatchQueues } from '#queue';
import type { CarrierPool } from '../../apps/worker/carriers/carrier-pool.js';
import { PooledCarrier } from '../../apps/worker/carriers/pooled-carrier.js';
import { QueueRoom } from '../../apps/worker/dispatch/queue-room.js';

const WINDOW_SIZE = 50;

/** A carrier that takes 200 segments a second: its queue gets 100, in jobs of two ids. */
function carrier(carrierId = 1, name = 'one'): PooledCarrier {
  const pooled = new PooledCarrier({
    carrierId,
    name,
    windowSize: WINDOW_SIZE,
    submitsPerSecond: 200,
  } as StoredCarrier);
  pooled.isBoundElsewhere = true;
  return pooled;
}

async function roomWith(bulk: number, partMin: number): Promise<number> {
  const pool = { all: () => [carrier()] } as unknown as CarrierPool;
  const depth = { interactive: 0, bulk, delayed: 0, active: 0 };
  const queues = { depthOf: async () => depth } as unknown as DispatchQueues;
  return (await QueueRoom.read(pool, queues, pool.all(), partMin)).of(1);
}

describe('a queue is filled in few large parts', () => {
  test.each([
    [50, 0],
    [38, 0],
    [37, 26],
    [0, 100],
  ])('with %i jobs of two ids there is room for %i segments', async (jobs, segments) => {
    expect(await roomWith(jobs, 0.25)).toBe(segments);
  });

  test('for an account that has just got a backlog, whatever is free is room', async () => {
    expect(await roomWith(49, 0)).toBe(2);
  });
});

describe('where queues are on several servers', () => {
  async function roomWhile(away: readonly string[]): Promise<number[]> {
    const pool = { all: () => [carrier(1, 'one'), carrier(2, 'two')] } as unknown as CarrierPool;
    const depthOf = async (name: string) => {
      if (away.includes(name)) throw new Error(`${name} is away`);
      return { interactive: 0, bulk: 0, delayed: 0, active: 0 };
    };
    const room = await QueueRoom.read(pool, { depthOf } as unknown as DispatchQueues, pool.all(), 0);
    return [room.of(1), room.of(2)];
  }

  test('one that is away gets nothing, and the others go on', async () => {
    expect(await roomWhile(['one'])).toEqual([0, 100]);
  });

  test('nothing leaves a backlog while all are away', async () => {
    await expect(roomWhile(['one', 'two'])).rejects.toThrow('is away');
  });
});
