import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { RouteTable } from '#carrier';
import type { Database } from '#persistence';
import type { DispatchQueues } from '#queue';
import { OpenCarriers } from '../../apps/gateway/messages/open-carriers.js';
import type { SendRules } from '../../apps/gateway/messages/send-rules.js';

describe('how often a gateway looks at the queues of the carriers', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const CARRIERS = ['used', 'full', 'quiet'];

  async function start() {
    const asked: string[] = [];
    const report = { carriers: CARRIERS.map((name) => ({ name, readiness: 'up', pace: 100 })) };
    const database = {
      query: async (sql: string) =>
        sql.includes('process_heartbeat')
          ? [{ processId: 'w', role: 'worker', details: report }]
          : CARRIERS.map((name, index) => ({ carrier_id: index + 1, name, options: {} })),
    } as unknown as Database;
    const queues = {
      depthOf: async (name: string) => {
        asked.push(name);
        return { interactive: name === 'full' ? 1_000 : 0, bulk: 0, delayed: 0, active: 0 };
      },
    } as unknown as DispatchQueues;
    const rules = { routes: { get: async () => new RouteTable([]) } } as unknown as SendRules;
    const carriers = new OpenCarriers(database, queues, rules);
    await carriers.onApplicationBootstrap();
    expect(asked.splice(0).sort()).toEqual([...CARRIERS].sort());
    return { carriers, asked };
  }

  test('four times a second at those that it uses or that are full, once a second at all', async () => {
    const { carriers, asked } = await start();
    for (let look = 0; look < 3; look += 1) {
      carriers.open.get(1)?.accounts.add('account');
      await jest.advanceTimersByTimeAsync(255);
      expect(asked.splice(0).sort()).toEqual(['full', 'used']);
    }
    await jest.advanceTimersByTimeAsync(255);
    expect(asked.splice(0).sort()).toEqual([...CARRIERS].sort());
    expect(carriers.areUnknown).toBe(false);
    await carriers.onApplicationShutdown();
  });
});
