import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { RouteTable } from '#carrier';
import type { Database, PricedMessage } from '#persistence';
import type { DispatchQueues } from '#queue';
import { OpenCarriers } from '../../apps/gateway/messages/open-carriers.js';
import type { SendRules } from '../../apps/gateway/messages/send-rules.js';
import { GatewayMetrics } from '../../apps/gateway/operator/gateway-metrics.js';

describe('a gateway looks at the queues of the carriers', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const CARRIERS = ['used', 'full', 'quiet'];

  async function start(routes = new RouteTable([])) {
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
    const rules = { routes: { get: async () => routes } } as unknown as SendRules;
    const metrics = new GatewayMetrics();
    const carriers = new OpenCarriers(database, queues, rules, metrics);
    await carriers.onApplicationBootstrap();
    expect(asked.splice(0).sort()).toEqual([...CARRIERS].sort());
    return { carriers, asked, metrics };
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
  test('and counts the messages that go to a carrier of a later rank, when they are accepted', async () => {
    const route = (prefix: string, carrierId: number, rank: number) => ({ prefix, carrierId, rank, weight: 1 });
    // No worker has the carrier 9.
    const { carriers, metrics } = await start(
      new RouteTable([route('46', 9, 1), route('46', 3, 2), route('44', 3, 1), route('44', 9, 2), route('49', 3, 2)]),
    );
    const counted = async (destination: string) => {
      const message = { id: 'a message', destination } as PricedMessage;
      expect(carriers.firstFor(message)?.name).toBe('quiet');
      carriers.countFailovers('quiet', [message]);
      return (await metrics.failovers.get()).values.map(({ value }) => value);
    };
    expect(await counted('447700900123')).toEqual([]);
    expect(await counted('4915112345678')).toEqual([]);
    expect(await counted('46701234567')).toEqual([1]);
    await carriers.onApplicationShutdown();
  });
});
